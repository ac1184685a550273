from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..naming import did_you_mean
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    suppressions = context.suppressions
    if suppressions is None:
        return
    for suppression in suppressions:
        if suppression.rule not in suppressions.known:
            yield Problem(
                f"the suppression names {suppression.rule}, which is no rule, so it silences nothing",
                suppression.location,
                suppression.rule,
                did_you_mean(suppression.rule, suppressions.known) or "mend the id, or remove the suppression",
            )
        elif not suppression.reason.strip():
            yield Problem(
                f"{suppression.rule} is silenced without a reason; expected one or more words that say why",
                suppression.location,
                suppression.rule,
                "say why the finding is acceptable here, or remove the suppression",
            )
    for suppression in suppressions.unused():
        yield Problem(
            f"{suppression.rule} is silenced here but finds nothing; expected a suppression that is needed",
            suppression.location,
            suppression.rule,
            "remove the suppression, so that it does not hide a later mistake",
            severity=Severity.WARNING,
        )


RULE = Rule(
    id="KT011",
    name="suppression-without-reason",
    severity=Severity.ERROR,
    summary="A suppression has no reason, names no rule, or is not needed (warning).",
    why="""\
A suppression hides a finding from everyone who reads the file after you. Without the reason nobody can tell whether it
still holds. One that silences nothing will hide the next mistake at that place. A suppression counts as unused only
when its rule ran.""",
    fix="""\
Write the reason: `ignore: {KT101: audit keeps a copy in the lake}` on the resource, or as a comment
`# kafka-topology: ignore KT101 audit keeps a copy in the lake`. A comment at the end of a line is about that line;
alone on a line it is about the next one, and about the whole resource when that line declares one.""",
    about_suppressions=True,
    check=check,
    good=(
        """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
    ignore:
      KT101: audit keeps a copy in the lake
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  # kafka-topology: ignore KT101
  orders: {partitions: 6, replication: 3}
""",
            line=3,
            column=28,
        ),
        Bad(
            """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
    ignore: {KT1001: audit keeps a copy in the lake}
""",
            line=6,
            column=22,
        ),
    ),
)
