"""The live cluster against the topology: `survey` takes a snapshot, `audit` compares, purely."""
