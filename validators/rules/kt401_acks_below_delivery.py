from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..client_roles import means_all
from ..helpers import own_edit, place_of
from ..rule import Bad, Context, Problem, Rule

_LOSES = {
    "0": "a record that never reached the broker counts as written",
    "1": "a record is lost with its leader, though it was acknowledged",
}


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.writers:
        if writer.delivery == "at-most-once" or means_all(writer.value("acks") or "all"):
            continue
        acks = writer.acks
        if acks is None:
            continue
        loses = _LOSES.get(acks.value, "not every in-sync replica has to hold the record")
        yield Problem(
            f"{writer.name}: acks is {acks.value} with {writer.delivery} delivery, so {loses}; expected all",
            place_of(acks, writer.declared),
            writer.name,
            "set acks to all, or declare `delivery: at-most-once` if records may be lost",
            edits=own_edit(acks, "all"),
        )


RULE = Rule(
    id="KT401",
    name="acks-below-delivery",
    severity=Severity.ERROR,
    summary="A producer that promises at least once or exactly once does not wait for all in-sync replicas.",
    why="""\
With `acks=0` nobody says whether a record arrived. With `acks=1` only the leader has it: when that broker is lost
before a follower copied the record, an acknowledged record is gone. Only `acks=all` waits until every in-sync replica
has it, so only `all` keeps a promise of at least once or exactly once.""",
    fix="Set `acks: all`, which is Kafka's default, or declare `delivery: at-most-once`.",
    requirements=("R16", "R18"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout:
    topics: [orders]
    config: {acks: all}
""",
        """\
version: 1
topics:
  clicks: {partitions: 6, replication: 3}
producers:
  tracker:
    topics: [clicks]
    delivery: at-most-once
    config: {acks: 0}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout:
    topics: [orders]
    delivery: at-least-once
    config: {acks: 1}
""",
            line=8,
            column=20,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
  totals: {partitions: 6, replication: 3}
streams:
  summing:
    reads: [orders]
    writes: [totals]
    config:
      producer.acks: 0
""",
            line=10,
            column=22,
        ),
    ),
)
