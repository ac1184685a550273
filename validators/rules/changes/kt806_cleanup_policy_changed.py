from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import place_of
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    old_policy = context.changes.old_index.topic_items("cleanup.policy")
    new_policy = context.index.topic_items("cleanup.policy")
    for old, new in context.changes.topics:
        was, now = old_policy(old), new_policy(new)
        if was == now:
            continue
        setting = context.settings.topic(new, "cleanup.policy")
        if setting is None:
            continue
        yield Problem(
            f"{new.name}: cleanup.policy goes from {_shown(was)} to {_shown(now)}, so {_effect(was, now)};"
            f" expected {_shown(was)}",
            place_of(setting, new),
            new.name,
            f"keep {_shown(was)}, or create a topic with the other policy and move over",
        )


def _shown(policy: frozenset[str]) -> str:
    return ",".join(sorted(policy)) or "none"


def _effect(was: frozenset[str], now: frozenset[str]) -> str:
    effects = []
    if "compact" in now - was:
        effects.append("only the last record of each key stays, and records without a key are refused")
    if "delete" in now - was:
        effects.append("keys that are not written again are deleted with time")
    if "compact" in was - now:
        effects.append("old values of a key come to stay, and tombstones no longer delete")
    if "delete" in was - now:
        effects.append("nothing is deleted by age or size any more")
    return "; ".join(effects)


RULE = Rule(
    id="KT806",
    name="cleanup-policy-changed",
    severity=Severity.ERROR,
    summary="A topic's cleanup policy changes.",
    why="""\
The policy says what a topic is: a stream of events that fades with time, or a table with the last value of each key.
From delete to compact, the history of every key is thrown away, and writers without keys are refused. From compact to
delete, every key that was not written lately is deleted: the table has holes. Both happen in the background, within
minutes, and cannot be undone.""",
    fix="Create a new topic with the other policy and move over. If it is meant, ignore the rule here with the reason.",
    requirements=("R12", "R27"),
    about_changes=True,
    before="""\
version: 1
topics:
  customers: {partitions: 6, replication: 3, key: {type: uuid}, config: {cleanup.policy: compact}}
""",
    check=check,
    good=(
        """\
version: 1
topics:
  customers: {partitions: 6, replication: 3, key: {type: uuid}, config: {cleanup.policy: [compact]}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  customers: {partitions: 6, replication: 3, key: {type: uuid}, config: {cleanup.policy: delete}}
""",
            line=3,
            column=90,
        ),
        Bad(
            """\
version: 1
topics:
  customers:
    partitions: 6
    replication: 3
    key: {type: uuid}
""",
            line=3,
            column=3,
        ),
    ),
)
