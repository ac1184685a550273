from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import nearest
from kafka_topology.validators.engine.examples import ORDERS, changed, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT521: client-rack-unknown

A reader names a rack that has no broker.

A consumer with `client.rack` may read from a replica in its own rack instead of the leader, which saves traffic
between zones. Kafka does not refuse an unknown rack: the consumer silently reads from the leaders, and you pay for the
traffic.

Fix: Set `client.rack` to one of the racks of the cluster.
"""


def check(context: Context) -> Iterator[Problem]:
    racks = context.topology.cluster.racks
    if not racks:
        return
    for reader in context.index.clients.readers:
        value = reader.value("client.rack")
        rack = reader.setting("client.rack") if value and value not in racks else None
        if rack is None:
            continue
        near = nearest(rack.value, racks, likeness=0.75)
        yield Problem(
            f"{reader.name}: client.rack is {rack.value}, which has no broker; expected one of {', '.join(racks)}",
            rack.place,
            reader.name,
            f"did you mean {near}?" if near else "set client.rack to the rack that the consumer runs in",
        )


EXAMPLE = on_cluster(
    "brokers: 3, racks: [eu-1a, eu-1b, eu-1c]",
    ORDERS + "consumerGroups:\n  billing: {topics: [orders], config: {client.rack: eu-1a}}\n",
)

GOOD = (EXAMPLE,)
BAD = (Bad(changed(EXAMPLE, {"client.rack: eu-1a": "client.rack: eu-1d"}), line=6, column=53),)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R30",))
