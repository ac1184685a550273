from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.effective import Setting
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import nearest
from kafka_topology.validators.engine.examples import ORDERS, changed, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import Reader

DOCS = """\
# KT521: client-rack-unknown

A reader names a rack that has no broker, or the brokers do not let it read there.

A consumer with `client.rack` may read from a replica in its own rack instead of the leader, which saves traffic
between zones. Kafka does not refuse an unknown rack: the consumer silently reads from the leaders, and you pay for the
traffic. The same happens while the brokers' `replica.selector.class` is not set, which is Kafka's default. The brokers
may have it without `cluster.defaults` saying so, so that is only an advice.

Fix: Set `client.rack` to one of the racks of the cluster, and declare `replica.selector.class:
org.apache.kafka.common.replica.RackAwareReplicaSelector` under `cluster.defaults`.
"""


SELECTOR = "replica.selector.class"
LEADERS = "org.apache.kafka.common.replica.LeaderSelector"
NEAREST = "org.apache.kafka.common.replica.RackAwareReplicaSelector"


def check(context: Context) -> Iterator[Problem]:
    racks = context.topology.cluster.racks
    if not racks:
        return
    for reader in context.index.clients.readers:
        value = reader.value("client.rack")
        rack = reader.setting("client.rack") if value else None
        if rack is None:
            continue
        if value in racks:
            yield from _leaders_only(context, reader, rack)
            continue
        near = nearest(rack.value, racks, likeness=0.75)
        yield Problem(
            f"{reader.name}: client.rack is {rack.value}, which has no broker; expected one of {', '.join(racks)}",
            rack.place,
            reader.name,
            f"did you mean {near}?" if near else "set client.rack to the rack that the consumer runs in",
        )


def _leaders_only(context: Context, reader: Reader, rack: Setting) -> Iterator[Problem]:
    """Without a selector that knows racks, brokers send every reader to the leader."""
    selector = context.settings.broker(SELECTOR)
    if selector is not None and selector.value.strip() not in ("", LEADERS):
        return
    yield Problem(
        f"{reader.name}: client.rack is {rack.value}, but the brokers' {SELECTOR} is"
        f" {LEADERS.rsplit('.', 1)[-1] if selector is not None else 'not declared'}, so it reads from the leaders;"
        f" expected {NEAREST}",
        rack.place,
        reader.name,
        f"set {SELECTOR} of the brokers to {NEAREST}, and declare it under cluster.defaults",
        severity=Severity.ADVICE,
    )


EXAMPLE = on_cluster(
    "brokers: 3, racks: [eu-1a, eu-1b, eu-1c], defaults: {"
    "replica.selector.class: org.apache.kafka.common.replica.RackAwareReplicaSelector}",
    ORDERS + "consumerGroups:\n  billing: {topics: [orders], config: {client.rack: eu-1a}}\n",
)

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"client.rack: eu-1a": "client.rack: eu-1d"}), line=6, column=53),
    Bad(
        on_cluster(
            "brokers: 3, racks: [eu-1a, eu-1b, eu-1c]",
            ORDERS + "consumerGroups:\n  billing: {topics: [orders], config: {client.rack: eu-1a}}\n",
        ),
        line=6,
        column=53,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R30",))
