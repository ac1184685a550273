from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import BILLING, ORDERS
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT503: start-not-chosen

A group does not declare where it starts without offsets.

A group without committed offsets starts where `auto.offset.reset` says: by default at `latest`, which skips everything
written before its first poll. That is right for a dashboard and wrong for billing. The same happens for every
partition that is added later, and for a group whose offsets have expired, so the two declarations must not contradict
each other.

Fix: Declare `start: earliest` or `start: latest`.
"""


def check(context: Context) -> Iterator[Problem]:
    for group in context.topology.consumer_groups.values():
        reset = group.config.get("auto.offset.reset")
        if group.start is None and reset is None:
            yield Problem(
                f"{group.name}: nothing declares where a new group starts, and Kafka's default, latest, skips"
                " existing records; expected earliest or latest",
                group.place(),
                group.name,
                "add `start: earliest` (all records) or `start: latest` (only new ones)",
            )
        elif group.start == "earliest" and reset == "latest":
            yield Problem(
                f"{group.name}: start is earliest, but auto.offset.reset is latest, so records in a new partition or"
                " after lost offsets are skipped; expected earliest",
                group.place("config", "auto.offset.reset"),
                group.name,
                "set auto.offset.reset to earliest, or to none to get an error instead",
                related=(Related(group.place("start").location, "the declared start"),),
            )


EXAMPLE = ORDERS + BILLING

GOOD = (
    ORDERS
    + """\
consumerGroups:
  billing: {topics: [orders], start: earliest}
  dashboard: {topics: [orders], config: {auto.offset.reset: latest}}
""",
)
BAD = (
    Bad(EXAMPLE, line=5, column=3),
    Bad(EXAMPLE + "    start: earliest\n    config: {auto.offset.reset: latest}\n", line=8, column=33),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R20",))
