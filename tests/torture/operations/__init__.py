"""One module for each command that is tried under faults."""
