"""`python -m kafka_topology.action` prints the folder of these files, so that a workflow can run them."""

from pathlib import Path

print(Path(__file__).resolve().parent)
