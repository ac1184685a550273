from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import ORDERS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.changes import removed

DOCS = """\
# KT810: group-removed

A consumer group was removed from the topology.

A group's offsets record what it has read. Without them, an application that comes back, or is still running, starts
where `auto.offset.reset` says: it skips records, or processes all of them again.

Fix: Make sure that nothing uses the group any more.
"""


def check(context: Context) -> Iterator[Problem]:
    changes = context.changes
    still_a_group = {*changes.after.consumer_groups, *changes.after.streams}
    groups = removed(changes.before.consumer_groups, changes.after.consumer_groups)
    applications = removed(changes.before.streams, changes.after.streams)
    gone = [
        *((group.name, group.location, "consumerGroups") for group in groups),
        *((application.application_id, application.location, "streams") for application in applications),
    ]
    for name, was_at, section in gone:
        if name in still_a_group:
            continue
        yield Problem(
            f"{name}: the group was removed from the topology, so its offsets and its access are deleted; expected it"
            " here, unless nobody uses it any more",
            changes.section(section),
            name,
            "stop its members first; if it may come back, keep it: a group without offsets starts over",
            related=(Related(was_at, f"{name} was here"),),
        )


BEFORE = ORDERS + "consumerGroups:\n  billing: {topics: [orders]}\n  audit: {topics: [orders]}\n"

GOOD = (ORDERS + "consumerGroups:\n  audit: {topics: [orders]}\n  billing: {topics: [orders], members: 3}\n",)
BAD = (Bad(changed(BEFORE, {"  billing: {topics: [orders]}\n": ""}), line=4, column=1),)

RULE = rule(
    DOCS, Severity.WARNING, check, GOOD, BAD, before=BEFORE, changed=("group", "streams"), requirements=("R21",)
)
