from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.libraries import config_place
from kafka_topology.topology.kafka.effective import Setting
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import BILLING, ORDERS, changed, on_cluster
from kafka_topology.validators.engine.helpers import related, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT522: protocol-not-on-brokers

A consumer uses a group protocol that the brokers do not offer.

`group.protocol: consumer` (KIP-848) is on by default from Kafka 4.0 on. In 3.7 to 3.9 it is a preview that brokers
offer only if `group.coordinator.rebalance.protocols` lists it; Kafka Streams' own protocol `streams` (KIP-1071) exists
from 4.1 on, where it is early access (KT527). A member that asks for a protocol that the brokers do not have fails with
UnsupportedVersionException at its first poll.

With `group.protocol: consumer`, the brokers assign partitions. `group.remote.assignor` must be one of theirs:
`uniform`, `range`, or what `group.consumer.assignors` lists.

Fix: Use `group.protocol: classic`, upgrade the brokers, or declare `group.coordinator.rebalance.protocols` if they
already offer it.
"""

_SINCE = {"consumer": "4.0", "streams": "4.1"}  # on by default from there on
REMOTE = "group.remote.assignor"
KEY = "group.coordinator.rebalance.protocols"


def check(context: Context) -> Iterator[Problem]:
    offered = context.settings.broker(KEY)
    known = {item.lower() for item in offered.items} if offered is not None else {"classic"}
    declared = context.topology.cluster.kafka
    name = "group.protocol"
    yield from _assignors(context)
    for reader in context.index.clients.readers:
        protocol = reader.protocol
        if protocol in known or protocol not in _SINCE or reader.is_standalone:
            continue  # KT417 reports a protocol that does not exist; a standalone consumer joins no group
        how = f"whose {KEY} is {shown(offered)}" if offered is not None else "which have only classic"
        yield Problem(
            f"{reader.name}: group.protocol is {protocol} on brokers of Kafka {declared}, {how}; expected one that"
            " they offer",
            config_place(reader.group, name) if reader.group is not None else reader.declared.place("config", name),
            reader.name,
            f"set group.protocol to classic, or {_instead(offered, protocol)}",
            related(offered, "what the brokers offer") if offered is not None else (),
        )


def _assignors(context: Context) -> Iterator[Problem]:
    """Members ask for an assignor by its name; brokers list names, or classes that have one of their own."""
    offered = context.settings.broker("group.consumer.assignors")
    if offered is None or any("." in item for item in offered.items):
        return
    for reader in context.index.clients.groups:
        wanted = reader.value(REMOTE) if reader.protocol == "consumer" else None
        if wanted is not None and reader.group is not None and wanted not in offered.items:
            yield Problem(
                f"{reader.name}: {REMOTE} is {wanted}, but the brokers have {shown(offered)}, so every member is"
                " refused; expected one of theirs",
                config_place(reader.group, REMOTE),
                reader.name,
                f"remove {REMOTE}, or choose from {', '.join(offered.items)}",
                related(offered, "what the brokers offer"),
            )


def _instead(offered: Setting | None, protocol: str) -> str:
    if offered is not None and offered.is_declared:
        return f"add {protocol} to {KEY} of the brokers"
    return f"upgrade the brokers to {_SINCE[protocol]}"


EXAMPLE = on_cluster('kafka: "4.1"', ORDERS + BILLING + "    config: {group.protocol: consumer}\n")

GOOD = (
    EXAMPLE,
    changed(
        EXAMPLE, {'kafka: "4.1"': 'kafka: "3.9", defaults: {group.coordinator.rebalance.protocols: "classic,consumer"}'}
    ),
)
BAD = (
    Bad(changed(EXAMPLE, {'kafka: "4.1"': 'kafka: "3.9"'}), line=8, column=30),
    Bad(
        changed(EXAMPLE, {'kafka: "4.1"': 'kafka: "4.1", defaults: {group.coordinator.rebalance.protocols: classic}'}),
        line=8,
        column=30,
    ),
    Bad(
        changed(EXAMPLE, {"consumer}": "consumer, group.remote.assignor: cooperative-sticky}"}),
        line=8,
        column=63,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R23", "R24"))
