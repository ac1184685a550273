from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Edit, Related, Severity
from ...topology.places import Layer
from ..helpers import count_place
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for old, new in context.changes.topics:
        if new.partitions >= old.partitions:
            continue
        place = count_place(context.topology, new, "partitions")
        yield Problem(
            f"{new.name}: partitions go from {old.partitions} to {new.partitions}, and partitions never shrink;"
            f" expected at least {old.partitions}",
            place,
            new.name,
            f"keep {old.partitions}, or create a topic under another name and move readers and writers over",
            related=(Related(count_place(context.changes.before, old, "partitions").location, "as it was"),),
            edits=(Edit(place.location, str(old.partitions)),) if place.layer is Layer.RESOURCE else (),
        )


RULE = Rule(
    id="KT801",
    name="partitions-decreased",
    severity=Severity.ERROR,
    summary="A topic would get fewer partitions.",
    why="""\
Kafka has no way to take a partition away: its records would have to go somewhere. A tool that does it all the same
deletes the topic and creates it anew, with everything in it and every offset lost. This product refuses it, here and
again when it is applied.""",
    fix="Keep the number, or create a second topic and move over.",
    requirements=("R7",),
    about_changes=True,
    before="""\
version: 1
topics:
  orders: {partitions: 12, replication: 3}
""",
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 24, replication: 3}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
""",
            line=3,
            column=24,
        ),
        Bad(
            """\
version: 1
profiles:
  small: {partitions: 3}
topics:
  orders: {profile: small, replication: 3}
""",
            line=3,
            column=23,
        ),
    ),
)
