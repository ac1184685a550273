from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.words import one_edit_away
from kafka_topology.validators.engine.examples import ORDERS_BLOCK, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT011: suppression-without-reason

A suppression has no reason, names an unknown rule, names a retired one (warning), names two rules in one comment
(warning), or is not needed (warning).

A suppression hides a finding from everyone who reads the file after you. Without a reason, nobody knows whether
it still applies. One that suppresses nothing hides the next mistake in that place. A suppression counts as unused
only if its rule ran. One with a retired id suppresses the rule that it became a part of.

Fix: Write the reason: `ignore: {KT101: audit keeps a copy in the lake}` on the resource, or as a comment `#
kafka-topology: ignore KT101 audit keeps a copy in the lake`. A comment at the end of a line applies to that line. A
comment on its own line applies to the next line, and to the whole resource if that line declares one.
"""


def check(context: Context) -> Iterator[Problem]:
    suppressions = context.suppressions
    if suppressions is None:
        return
    for suppression in suppressions:
        if suppression.rule not in suppressions.known:
            yield Problem(
                f"the suppression names {_unknown(suppression.rule)}, so it suppresses nothing;"
                " expected the id of a rule",
                suppression.location,
                suppression.rule or RULE.id,
                one_edit_away(suppression.rule, suppressions.known) or "correct the id, or remove the suppression",
            )
        elif not suppression.reason.strip():
            yield Problem(
                f"{suppression.rule} is suppressed without a reason; expected a few words that say why",
                suppression.location,
                suppression.rule,
                "say why the finding is acceptable here, or remove the suppression",
            )
        if suppression.written != suppression.rule:
            yield Problem(
                f"the suppression names {suppression.written}, which became a part of {suppression.rule}, so it"
                f" suppresses that; expected {suppression.rule}",
                suppression.location,
                suppression.rule,
                f"write {suppression.rule} instead of {suppression.written}",
                severity=Severity.WARNING,
            )
    for comment in context.topology.comment_ignores:
        second = comment.reason.split(maxsplit=1)[0].rstrip(",:") if comment.reason.strip() else ""
        if second in suppressions.known and comment.rule in suppressions.known:
            yield Problem(
                f"the comment suppresses {comment.rule} only, and its reason starts with {second}; expected one rule"
                " and a reason",
                comment.location,
                comment.rule,
                f"suppress {second} by a comment of its own, on a line above, or start the reason with another word",
                severity=Severity.WARNING,
            )
    for suppression in suppressions.unused():
        other = suppressions.instead_of(suppression)
        why, fix = "finds nothing", "remove the suppression, so that it cannot hide a later mistake"
        if other is not None:
            why, fix = f"the suppression on line {other.location.line} applies instead", "remove one of the two"
        yield Problem(
            f"{suppression.rule} is suppressed here but {why}; expected only suppressions that are needed",
            suppression.location,
            suppression.rule,
            fix,
            related=() if other is None else (Related(other.location, "suppressed here too"),),
            severity=Severity.WARNING,
        )


def _unknown(rule: str) -> str:
    return f"{rule}, which does not exist" if rule else "no rule"


def _commented(comment: str) -> str:
    return f"version: 1\ntopics:\n  # kafka-topology: {comment}\n  orders: {{partitions: 6, replication: 3}}\n"


GOOD = (ORDERS_BLOCK + "    ignore:\n      KT013: a test topic that is deleted every night\n",)
BAD = (
    Bad(_commented("ignore KT101"), line=3, column=28),
    Bad(ORDERS_BLOCK + "    ignore: {KT1001: audit keeps a copy in the lake}\n", line=6, column=22),
    Bad(_commented("ignore KT013 KT101 the team is not named yet"), line=3, column=28),
    Bad(ORDERS_BLOCK + "    ignore:\n      KT310: a test writes once a day\n", line=7, column=14),
    Bad(_commented("Ignore KT101"), line=3, column=28),
    Bad(changed(_commented("ignore: KT101"), {"# kafka-topology: ": "#kafka-topology:"}), line=3, column=27),
    Bad(_commented("ignore"), line=3, column=27),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, about_suppressions=True)
