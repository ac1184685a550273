from __future__ import annotations

from collections.abc import Iterator

from ...topology.catalogue import nearest
from ...topology.findings import Severity
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    racks = context.topology.cluster.racks
    if not racks:
        return
    for reader in context.index.clients.readers:
        value = reader.value("client.rack")
        rack = reader.setting("client.rack") if value and value not in racks else None
        if rack is None:
            continue
        near = nearest(rack.value, racks)
        yield Problem(
            f"{reader.name}: client.rack is {rack.value}, where no broker stands; expected one of {', '.join(racks)}",
            rack.place,
            reader.name,
            f"did you mean {near}?" if near else "set client.rack to the rack the consumer runs in",
        )


RULE = Rule(
    id="KT521",
    name="client-rack-unknown",
    severity=Severity.ERROR,
    summary="A reader names a rack in which no broker stands.",
    why="""\
A consumer with `client.rack` may read from a replica in its own rack instead of the leader, which saves traffic between
zones. A rack that no broker has is not refused: the consumer silently reads from the leaders, and pays for it.""",
    fix="Set `client.rack` to one of the racks of the cluster.",
    requirements=("R30",),
    check=check,
    good=(
        """\
version: 1
cluster: {brokers: 3, racks: [eu-1a, eu-1b, eu-1c]}
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], config: {client.rack: eu-1a}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
cluster: {brokers: 3, racks: [eu-1a, eu-1b, eu-1c]}
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], config: {client.rack: eu-1d}}
""",
            line=6,
            column=53,
        ),
    ),
)
