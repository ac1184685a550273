"""Starting Java: brokers, the storage tool and Kafka's own command line tools."""

from __future__ import annotations

import os
import subprocess
from typing import IO, TYPE_CHECKING

from kafka_topology.toolchain import ensure_kafka, find_java

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# Brokers here live minutes, so they should be up soon: the quick compiler only, the simple collector. One
# trial with three brokers took 6 s, with Java's defaults 9 s; that is indicative, not a benchmark.
_FLAGS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Djava.awt.headless=true")


def java_command(main: str, arguments: Sequence[str], *, heap: str, log4j: Path) -> list[str]:
    classpath = str(ensure_kafka()[0].parent / "*")
    options = [*_FLAGS, f"-Xmx{heap}", f"-Dlog4j2.configurationFile={log4j.as_uri()}"]
    return [find_java(), *options, "-cp", classpath, main, *arguments]


def java_environment() -> dict[str, str]:
    """Without options meant for other programs; few malloc arenas, since each costs memory."""
    unwanted = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH"}
    kept = {key: value for key, value in os.environ.items() if key not in unwanted}
    return {**kept, "MALLOC_ARENA_MAX": "2"}


def start_detached(command: list[str], log: IO[bytes], folder: Path) -> int:
    """The pid of a process that outlives this one; a Ctrl-C in this terminal does not reach it."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env=java_environment(),
        start_new_session=True,
    )
    process.returncode = 0  # from here on it is followed by its pid: Popen need not wait for it
    return process.pid
