"""Random input for what reads input of others: `make fuzz MINUTES=10`. See docs/fuzzing.md."""
