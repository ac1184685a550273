"""The configuration of a node: pure functions from the state to text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .state import PLAIN

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from .state import Node, State

HOST = "127.0.0.1"


def bootstrap_servers(state: State, listener: str = PLAIN) -> str:
    return ",".join(f"{HOST}:{node.listeners[listener]}" for node in state.nodes)


def server_properties(state: State, node: Node, log_dir: Path) -> dict[str, str]:
    """Kafka's own defaults stay, but for what one machine and, unless the cluster is like new, quick tests need."""
    voters = ",".join(f"{other.id}@{HOST}:{other.controller_port}" for other in state.voters)
    client_listeners = [f"{name}://{HOST}:{port}" for name, port in node.listeners.items()]
    controller_listener = [f"CONTROLLER://{HOST}:{node.controller_port}"] if node.votes else []
    protocols = [f"{name}:{name}" for name in node.listeners]
    values: dict[str, object] = {
        "process.roles": "broker,controller" if node.votes else "broker",
        "node.id": node.id,
        "broker.rack": node.rack,
        "controller.quorum.voters": voters,
        "controller.listener.names": "CONTROLLER",
        "inter.broker.listener.name": PLAIN,
        "listeners": ",".join([*client_listeners, *controller_listener]),
        "advertised.listeners": ",".join(client_listeners),
        "listener.security.protocol.map": ",".join(["CONTROLLER:PLAINTEXT", *protocols]),
        "log.dirs": log_dir,
        # The default of 128 MiB is half of a small heap.
        "log.cleaner.dedupe.buffer.size": 8 * 1024 * 1024,
        **(_AUTHORIZER if state.secure or not state.like_new else {}),
        **({} if state.like_new else _for_tests(len(state.nodes))),
    }
    return {key: str(value) for key, value in values.items()}


# Clients without credentials may do everything, so they can create and try ACLs.
_AUTHORIZER = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
}


def _for_tests(brokers: int) -> dict[str, object]:
    """Internal topics that fit on few brokers, and short waits."""
    replicas = min(3, brokers)
    in_sync = max(1, replicas - 1)
    return {
        "auto.create.topics.enable": "false",
        "offsets.topic.replication.factor": replicas,
        "offsets.topic.num.partitions": 6,
        "transaction.state.log.replication.factor": replicas,
        "transaction.state.log.min.isr": in_sync,
        "transaction.state.log.num.partitions": 6,
        "share.coordinator.state.topic.replication.factor": replicas,
        "share.coordinator.state.topic.min.isr": in_sync,
        "share.coordinator.state.topic.num.partitions": 6,
        "group.initial.rebalance.delay.ms": 0,
        # A broker that was killed may come back only when its session is over: by default 9 s.
        "broker.session.timeout.ms": 6000,
        "broker.heartbeat.interval.ms": 1000,
        "num.io.threads": 4,
        "num.network.threads": 2,
    }


def render(values: Mapping[str, str]) -> str:
    """As a Java properties file: backslashes and line ends escaped, the rest in ASCII."""
    return "".join(f"{key}={_escape(value)}\n" for key, value in values.items())


def _escape(value: str) -> str:
    text = value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    if text.startswith((" ", "\t")):
        text = "\\" + text
    units = text.encode("utf-16-be", "surrogatepass")
    pairs = [int.from_bytes(units[at : at + 2], "big") for at in range(0, len(units), 2)]
    return "".join(chr(unit) if unit < 0x7F else f"\\u{unit:04x}" for unit in pairs)


LOG4J = """\
rootLogger.level=INFO
rootLogger.appenderRef.out.ref=out
appender.out.type=Console
appender.out.name=out
appender.out.layout.type=PatternLayout
appender.out.layout.pattern=%d{yyyy-MM-dd HH:mm:ss.SSS} %-5p %m (%c{1})%n
logger.config.name=org.apache.kafka.common.config.AbstractConfig
logger.config.level=WARN
logger.fetch.name=org.apache.kafka.clients.FetchSessionHandler
logger.fetch.level=ERROR
"""

TOOL_LOG4J = """\
rootLogger.level=WARN
rootLogger.appenderRef.err.ref=err
appender.err.type=Console
appender.err.target=SYSTEM_ERR
appender.err.name=err
appender.err.layout.type=PatternLayout
appender.err.layout.pattern=%p %m (%c)%n
"""
