"""Kafka's own command line tools, by the names of their scripts."""

from __future__ import annotations

import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import SettingsError
from .processes.jvm import java_command, java_environment
from .properties import TOOL_LOG4J

if TYPE_CHECKING:
    from collections.abc import Iterator

TOOLS = {
    "kafka-acls": "org.apache.kafka.tools.AclCommand",
    "kafka-broker-api-versions": "org.apache.kafka.tools.BrokerApiVersionsCommand",
    "kafka-cluster": "org.apache.kafka.tools.ClusterTool",
    "kafka-configs": "kafka.admin.ConfigCommand",
    "kafka-console-consumer": "org.apache.kafka.tools.consumer.ConsoleConsumer",
    "kafka-console-producer": "org.apache.kafka.tools.ConsoleProducer",
    "kafka-consumer-groups": "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
    "kafka-delete-records": "org.apache.kafka.tools.DeleteRecordsCommand",
    "kafka-features": "org.apache.kafka.tools.FeatureCommand",
    "kafka-get-offsets": "org.apache.kafka.tools.GetOffsetShell",
    "kafka-groups": "org.apache.kafka.tools.GroupsCommand",
    "kafka-leader-election": "org.apache.kafka.tools.LeaderElectionCommand",
    "kafka-log-dirs": "org.apache.kafka.tools.LogDirsCommand",
    "kafka-metadata-quorum": "org.apache.kafka.tools.MetadataQuorumCommand",
    "kafka-reassign-partitions": "org.apache.kafka.tools.reassign.ReassignPartitionsCommand",
    "kafka-share-groups": "org.apache.kafka.tools.consumer.group.ShareGroupCommand",
    "kafka-streams-groups": "org.apache.kafka.tools.streams.StreamsGroupCommand",
    "kafka-topics": "org.apache.kafka.tools.TopicCommand",
    "kafka-transactions": "org.apache.kafka.tools.TransactionsCommand",
}
_ADDRESS_FIRST = frozenset(TOOLS[name] for name in ("kafka-features", "kafka-metadata-quorum", "kafka-transactions"))
"""Tools with subcommands that take the address before the subcommand only."""
_HEAP = "128m"


def tool_class(name: str) -> str:
    """The class of a script (`kafka-topics`, `topics`, `kafka-topics.sh`); a class stays."""
    if "." in name.removesuffix(".sh"):
        return name
    script = name.removesuffix(".sh")
    script = script if script.startswith("kafka-") else f"kafka-{script}"
    if script not in TOOLS:
        raise SettingsError(f"There is no tool {name!r}.", f"Known: {', '.join(sorted(TOOLS))}.")
    return TOOLS[script]


def tool_arguments(main: str, arguments: tuple[str, ...], bootstrap: str | None) -> list[str]:
    """With the cluster's address, unless one is given or only help is wanted. `main` is the class of the tool."""
    given = any(argument.startswith("--bootstrap-") for argument in arguments)
    if bootstrap is None or given or {"--help", "--version"} & set(arguments):
        return list(arguments)
    address = ("--bootstrap-server", bootstrap)
    return [*address, *arguments] if main in _ADDRESS_FIRST else [*arguments, *address]


def kafka_tool(
    name: str,
    *arguments: str,
    bootstrap: str | None = None,
    stdin: str | None = None,
    timeout: float = 60.0,
) -> subprocess.CompletedProcess[str]:
    """Run one of Kafka's tools and return what it printed. Does not raise when the tool fails."""
    with _command(name, arguments, bootstrap) as command:
        return subprocess.run(
            command,
            input=stdin or "",
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            env=java_environment(),
        )


def run_attached(name: str, arguments: tuple[str, ...], bootstrap: str | None) -> int:
    """Run one of Kafka's tools on this terminal; its exit code."""
    with _command(name, arguments, bootstrap) as command:
        return subprocess.run(command, check=False, env=java_environment()).returncode


@contextmanager
def _command(name: str, arguments: tuple[str, ...], bootstrap: str | None) -> Iterator[list[str]]:
    main = tool_class(name)
    with tempfile.TemporaryDirectory(prefix="kafka-topology-") as folder:
        log4j = Path(folder) / "log4j2.properties"
        log4j.write_text(TOOL_LOG4J, encoding="ascii")
        yield java_command(main, tool_arguments(main, arguments, bootstrap), heap=_HEAP, log4j=log4j)
