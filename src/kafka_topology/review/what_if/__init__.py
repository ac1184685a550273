"""What a loss of brokers, racks or controllers does."""
