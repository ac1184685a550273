"""The executable `kafka-topology`: commands that talk to Kafka run in a supervised child process.

The client libraries are native code, and a signal may end them. That must not look like a result of the command.
"""

from __future__ import annotations

import sys

from kafka_topology.cli.streams import replace_streams
from kafka_topology.cli.supervising import supervised

# Commands that may talk to a cluster. The others need no child process.
WATCHED = frozenset({"audit", "check", "import", "review", "what-if"})


def main() -> None:
    if sys.argv[1:2] and sys.argv[1] in WATCHED:
        supervised(f"kafka-topology {sys.argv[1]}")
    replace_streams()
    from kafka_topology.cli.main import main as run

    run()
