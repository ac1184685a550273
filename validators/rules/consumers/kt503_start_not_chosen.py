from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.libraries import config_place, given, library_of
from kafka_topology.topology.kafka.clients.promises import reset_contradicts
from kafka_topology.topology.model.declared import ConsumerGroup
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import BILLING, ORDERS
from kafka_topology.validators.engine.in_library import own_library, to_set
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT503: start-not-chosen

A group does not declare where it starts without offsets.

A group without committed offsets starts where `auto.offset.reset` says: by default at `latest`, which skips everything
written before its first poll. That is right for a dashboard and wrong for billing. The same happens for every
partition that is added later, and for a group whose offsets have expired, so the two declarations must not contradict
each other. KT559 asks the same of share groups.

Fix: Declare `start: earliest` or `start: latest`.
"""


def check(context: Context) -> Iterator[Problem]:
    for group in context.topology.consumer_groups.values():
        reset = given(group).get("auto.offset.reset")
        if group.start is None and reset is None:
            library = library_of(group)
            whose = "Kafka" if library is None else library.title
            usual = context.settings.consumer(group, "auto.offset.reset")
            value = "latest" if usual is None else usual.value
            does = "reads all existing records" if value == "earliest" else "skips existing records"
            yield Problem(
                f"{group.name}: nothing declares where a new group starts, and {whose}'s default, {value}, {does};"
                " expected earliest or latest",
                group.place(),
                group.name,
                "add `start: earliest` (all records) or `start: latest` (only new ones)",
            )
        elif reset is not None and reset_contradicts(group.start, reset):
            yield Problem(
                f"{group.name}: start is earliest, but auto.offset.reset is latest, so records in a new partition or"
                " after lost offsets are skipped; expected earliest",
                config_place(group, "auto.offset.reset"),
                group.name,
                to_set(group, "auto.offset.reset", "earliest") + _or_none(group),
                related=(Related(group.place("start").location, "the declared start"),),
            )


def _or_none(group: ConsumerGroup) -> str:
    library = own_library(group)
    has_none = library is None or library.can_say("consumer", "auto.offset.reset", "none")
    return ", or to none to get an error instead" if has_none else ""


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
