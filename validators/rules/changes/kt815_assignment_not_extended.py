from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import changed
from kafka_topology.validators.engine.helpers import count_place
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.assignments import listed, teams

DOCS = """\
# KT815: assignment-not-extended

A topic gets partitions that its standalone consumers do not read.

A consumer that assigns its partitions itself does not notice new ones. Producers start writing to them at once, and
those records stay unread until their retention ends.

Fix: Extend `assign` in the same change as `partitions`, and roll out the consumer first.
"""


def check(context: Context) -> Iterator[Problem]:
    grown = {new.name: (old, new) for old, new in context.changes.topics if new.partitions > old.partitions}
    if not grown:
        return
    for name, team in teams(context.topology):
        if name not in grown:
            continue
        old, new = grown[name]
        unread = set(range(old.partitions, new.partitions)).difference(*(group.assign[name] for group in team))
        if not unread:
            continue
        who = " and ".join(group.name for group in team)
        yield Problem(
            f"{who}: {name} grows from {old.partitions} to {new.partitions} partitions, but nobody is assigned"
            f" partition {listed(unread)}; expected all {new.partitions}",
            team[-1].place("assign", name),
            team[-1].name,
            f"assign partition {listed(unread)} of {name} in the same change",
            related=(Related(count_place(context.topology, new, "partitions").location, f"{name} grows here"),),
        )


EXAMPLE = """\
version: 1
topics:
  orders: {partitions: 4, replication: 3}
consumerGroups:
  loader: {assign: {orders: [0, 1, 2, 3]}}
"""

BEFORE = """\
version: 1
topics:
  orders: {partitions: 2, replication: 3}
consumerGroups:
  loader: {assign: {orders: [0, 1]}}
"""
GOOD = (EXAMPLE,)
BAD = (Bad(changed(EXAMPLE, {"[0, 1, 2, 3]": "[0, 1]"}), line=5, column=29),)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, before=BEFORE, changed=("group.assign",), requirements=("R26",))
