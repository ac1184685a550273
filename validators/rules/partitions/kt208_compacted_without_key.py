from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Edit, Severity
from kafka_topology.topology.model.places import Layer
from kafka_topology.validators.engine.examples import PRICES_BLOCK, changed
from kafka_topology.validators.engine.helpers import related
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.partitioners import is_keyed

DOCS = """\
# KT208: compacted-without-key

A compacted topic has no key, or its keys may be null.

Compaction keeps the last record of each key. Brokers refuse a record without a key on a compacted topic, so its
producers fail.

Fix: Declare the key, with `nulls: tombstones` if a null value deletes it, or use `cleanup.policy: delete`.
"""


def check(context: Context) -> Iterator[Problem]:
    policy_of = context.index.topic_items("cleanup.policy")
    for topic in context.topology.topics.values():
        if "compact" not in policy_of(topic):
            continue
        if not is_keyed(topic) or (topic.key is not None and topic.key.nulls == "allowed"):
            yield _problem(context, topic)


def _problem(context: Context, topic: Topic) -> Problem:
    edits: tuple[Edit, ...] = ()
    fix = "declare the key whose last record compaction keeps, or set cleanup.policy to delete"
    if topic.key is None:
        found, place = "no key is declared", topic.place()
    elif topic.key.type == "none":
        found, place = "key.type is none", topic.place("key", "type")
    else:
        found, place = "key.nulls is allowed", topic.place("key", "nulls")
        fix = "set key.nulls to tombstones or forbidden"
        edits = (Edit(place.location, "tombstones"),) if place.layer is Layer.RESOURCE else ()
    policy = context.settings.topic(topic, "cleanup.policy")
    return Problem(
        f"{topic.name}: the topic is compacted, but {found}; expected a key that is never null",
        place,
        topic.name,
        fix,
        related(policy, "compaction is set here") if policy is not None else (),
        edits,
        # A program need not declare its keys, so they may exist.
        severity=Severity.WARNING if context.is_part and topic.key is None else None,
    )


EXAMPLE = PRICES_BLOCK + "    key: {type: string, nulls: tombstones}\n    config: {cleanup.policy: compact}\n"

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"    key: {type: string, nulls: tombstones}\n": ""}), line=3, column=3),
    Bad(PRICES_BLOCK + "    key: {type: none}\n    config: {cleanup.policy: [compact, delete]}\n", line=6, column=17),
    Bad(
        """\
version: 1
profiles:
  state: {replication: 3, config: {cleanup.policy: compact}}
topics:
  prices:
    profile: state
    partitions: 6
    key: {type: string, nulls: allowed}
""",
        line=8,
        column=32,
        needs_whole=True,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R11", "R12"), judges_parts=True)
