from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    """Comments without a reason. The loader refuses an empty one under `ignore`; the engine knows what is unused."""
    for comment in context.topology.comment_ignores:
        if not comment.reason.strip():
            yield Problem(
                f"{comment.rule} is silenced by a comment without a reason; expected one after the rule's id",
                comment.location,
                comment.rule,
                "say why the rule does not apply here, or mend what it found",
            )


RULE = Rule(
    id="KT011",
    name="suppression-without-reason",
    severity=Severity.ERROR,
    summary="A rule is silenced without a reason (error), or where it finds nothing (warning).",
    why="""\
Whoever reads the file next cannot tell an exception that was thought about from one that was convenient. And one that
is no longer needed would hide the next, real finding.""",
    fix="Write the reason behind the rule's id, or remove what is no longer needed.",
    check=check,
    good=(
        """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 1  # kafka-topology: ignore KT103 a copy is in the lake
    ignore:
      KT013: nobody owns the playground
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 1  # kafka-topology: ignore KT103
""",
            line=5,
            column=46,
        ),
    ),
)
