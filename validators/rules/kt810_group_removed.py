from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ..changes import removed
from ..rule import Bad, Context, Problem, Rule


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
            f"{name}: the group is gone from the topology, and with it go its offsets and its access;"
            " expected it here, unless nobody uses it any more",
            changes.section(section),
            name,
            "stop its members first; if it may come back, keep it: a group without offsets starts anew",
            related=(Related(was_at, f"{name} was here"),),
        )


RULE = Rule(
    id="KT810",
    name="group-removed",
    severity=Severity.WARNING,
    summary="A consumer group was removed from the topology.",
    why="""\
A group's offsets say what has been read. Without them an application that comes back, or that still runs, starts where
`auto.offset.reset` says: it skips records, or processes all of them again.""",
    fix="Make sure that nothing uses the group any more.",
    requirements=("R21",),
    about_changes=True,
    before="""\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders]}
  audit: {topics: [orders]}
""",
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  audit: {topics: [orders]}
  billing: {topics: [orders], members: 3}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  audit: {topics: [orders]}
""",
            line=4,
            column=1,
        ),
    ),
)
