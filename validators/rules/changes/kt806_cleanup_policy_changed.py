from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import changed
from kafka_topology.validators.engine.helpers import problem_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT806: cleanup-policy-changed

A topic's cleanup policy changes.

The policy says what a topic is: a stream of events that expire, or a table with the last value of each key. From
delete to compact, the history of every key is deleted, and writers without keys are refused. From compact to delete,
every key that was not written recently is deleted: the table has holes. Both happen in the background within minutes,
and cannot be undone.

Fix: Create a new topic with the other policy and move to it. If the change is intended, suppress the rule here with
the reason.
"""


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
        yield problem_with(
            setting,
            new,
            f"cleanup.policy goes from {_shown(was)} to {_shown(now)}, so {_effect(was, now)}; expected {_shown(was)}",
            f"keep {_shown(was)}, or create a topic with the other policy and move to it",
        )


def _shown(policy: frozenset[str]) -> str:
    return ",".join(sorted(policy)) or "none"


def _effect(was: frozenset[str], now: frozenset[str]) -> str:
    effects = []
    if "compact" in now - was:
        effects.append("only the last record of each key stays, and records without a key are refused")
    if "delete" in now - was:
        effects.append("keys that are not written again are deleted over time")
    if "compact" in was - now:
        effects.append("old values of a key stay, and tombstones no longer delete")
    if "delete" in was - now:
        effects.append("nothing is deleted by age or size any more")
    return "; ".join(effects)


BEFORE = """\
version: 1
topics:
  customers: {partitions: 6, replication: 3, key: {type: uuid}, config: {cleanup.policy: compact}}
"""

GOOD = (changed(BEFORE, {"cleanup.policy: compact": "cleanup.policy: [compact]"}),)
BAD = (
    Bad(changed(BEFORE, {"cleanup.policy: compact": "cleanup.policy: delete"}), line=3, column=90),
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
)

RULE = rule(
    DOCS,
    Severity.ERROR,
    check,
    GOOD,
    BAD,
    before=BEFORE,
    changed=("topic.config.cleanup.policy",),
    requirements=("R12", "R27"),
)
