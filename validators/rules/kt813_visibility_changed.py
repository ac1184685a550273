from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..rule import Bad, Context, Problem, Rule

_EFFECT = {
    "public": (
        "other teams may read it from now on",
        "make sure that nothing in it is private, and that it has a schema",
    ),
    "private": ("its readers in other teams lose their right to it", "ask its readers first, and move them over"),
}


def check(context: Context) -> Iterator[Problem]:
    for old, new in context.changes.topics:
        if old.visibility == new.visibility:
            continue
        effect, remedy = _EFFECT[new.visibility]
        yield Problem(
            f"{new.name}: visibility goes from {old.visibility} to {new.visibility}, so {effect};"
            f" expected {old.visibility}, unless this is meant",
            new.place("visibility"),
            new.name,
            remedy,
        )


RULE = Rule(
    id="KT813",
    name="visibility-changed",
    severity=Severity.WARNING,
    summary="A topic becomes public, or private.",
    why="""\
A public topic is a promise to people you do not know: its name, key and schema can no longer be changed at will, and
its content is for everyone. Made private again, it breaks whoever relied on it.""",
    fix="Have the change seen by the topic's owner and by its readers.",
    requirements=("R15",),
    about_changes=True,
    before="""\
version: 1
topics:
  orders: {partitions: 6, replication: 3, visibility: public}
""",
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 12, replication: 3, visibility: public}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, visibility: private}
""",
            line=3,
            column=55,
        ),
        Bad(
            """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
""",
            line=3,
            column=3,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, visibility: public}
""",
            line=3,
            column=55,
            before="""\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
""",
        ),
    ),
)
