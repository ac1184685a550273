"""Compares the live cluster with the topology: `survey` takes a snapshot, and `audit`, which is pure, compares it."""
