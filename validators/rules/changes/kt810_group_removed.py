from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.places import Location
from kafka_topology.validators.engine.examples import ORDERS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.changes import Changes, removed

DOCS = """\
# KT810: group-removed

A consumer group or share group was removed from the topology.

A group's offsets record what it has read. Without them, an application that comes back, or is still running, starts
where `auto.offset.reset` says: it skips records, or processes all of them again.

The same id as a group of another type is no replacement: Kafka refuses the members of a share group while the id
belongs to a consumer group, and the other way round.

Fix: Make sure that nothing uses the group any more.
"""


def check(context: Context) -> Iterator[Problem]:
    changes = context.changes
    of_consumers = {*changes.after.consumer_groups, *changes.after.streams}
    of_sharers = {*changes.after.share_groups}
    groups = removed(changes.before.consumer_groups, changes.after.consumer_groups)
    shared = removed(changes.before.share_groups, changes.after.share_groups)
    applications = removed(changes.before.streams, changes.after.streams)
    gone = [
        *((group.name, group.location, "consumerGroups") for group in groups),
        *((group.name, group.location, "shareGroups") for group in shared),
        *((application.application_id, application.location, "streams") for application in applications),
    ]
    for name, was_at, section in gone:
        is_shared = section == "shareGroups"
        if name in (of_sharers if is_shared else of_consumers):
            continue
        if name in (of_consumers if is_shared else of_sharers):
            yield _of_another_type(changes, name, was_at, is_shared=is_shared)
            continue
        yield Problem(
            f"{name}: the group was removed from the topology, so its offsets and its access are deleted; expected it"
            " here, unless nobody uses it any more",
            changes.lost_at(section, was_at),
            name,
            "stop its members first; if it may come back, keep it: a group without offsets starts over",
            related=(Related(was_at, f"{name} was here"),),
        )


def _of_another_type(changes: Changes, name: str, was_at: Location, *, is_shared: bool) -> Problem:
    after = changes.after
    was, now = ("a share group", "a consumer group") if is_shared else ("a consumer group", "a share group")
    found = after.consumer_groups.get(name) or after.streams.get(name) if is_shared else after.share_groups[name]
    return Problem(
        f"{name}: {was} became {now}, and Kafka refuses members of {now} while the id belongs to {was}; expected"
        " another id",
        found.name_place() if found is not None else was_at,
        name,
        f"choose another id; or stop all members and delete the group with its position before {now} uses the id",
        related=(Related(was_at, f"{name} was {was} here"),),
    )


BEFORE = ORDERS + "consumerGroups:\n  billing: {topics: [orders]}\n  audit: {topics: [orders]}\n"

GOOD = (ORDERS + "consumerGroups:\n  audit: {topics: [orders]}\n  billing: {topics: [orders], members: 3}\n",)
BAD = (
    Bad(changed(BEFORE, {"  billing: {topics: [orders]}\n": ""}), line=5, column=10),
    Bad(
        changed(BEFORE, {"  billing: {topics: [orders]}\n": ""}) + "shareGroups:\n  billing: {topics: [orders]}\n",
        line=7,
        column=3,
    ),
)

RULE = rule(
    DOCS,
    Severity.WARNING,
    check,
    GOOD,
    BAD,
    before=BEFORE,
    changed=("group", "shareGroup", "streams"),
    requirements=("R21",),
)
