from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Edit, Severity
from ...topology.model import Topic
from ...topology.places import Layer
from ..helpers import related
from ..partitioners import is_keyed
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    policy_of = context.index.topic_items("cleanup.policy")
    for topic in context.topology.topics.values():
        if "compact" not in policy_of(topic):
            continue
        if not is_keyed(topic) or (topic.key is not None and topic.key.nulls == "allowed"):
            yield _problem(context, topic)


def _problem(context: Context, topic: Topic) -> Problem:
    edits: tuple[Edit, ...] = ()
    remedy = "declare the key that compaction keeps the last record of, or set cleanup.policy to delete"
    if topic.key is None:
        found, place = "no key is declared", topic.place()
    elif topic.key.type == "none":
        found, place = "key.type is none", topic.place("key", "type")
    else:
        found, place = "key.nulls is allowed", topic.place("key", "nulls")
        remedy = "set key.nulls to tombstones, or to forbidden"
        edits = (Edit(place.location, "tombstones"),) if place.layer is Layer.RESOURCE else ()
    policy = context.settings.topic(topic, "cleanup.policy")
    return Problem(
        f"{topic.name}: it is compacted and {found}; expected a key that is never null",
        place,
        topic.name,
        remedy,
        related(policy, "compaction is set here") if policy is not None else (),
        edits,
    )


RULE = Rule(
    id="KT208",
    name="compacted-without-key",
    severity=Severity.ERROR,
    summary="A compacted topic without a key, or whose keys may be null.",
    why="""\
Compaction keeps the last record of each key. The brokers refuse a record without a key on a compacted topic, so its
producers fail.""",
    fix="Declare the key, with `nulls: tombstones` if a null value deletes it; or use `cleanup.policy: delete`.",
    requirements=("R11", "R12"),
    check=check,
    good=(
        """\
version: 1
topics:
  prices:
    partitions: 6
    replication: 3
    key: {type: string, nulls: tombstones}
    config: {cleanup.policy: compact}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  prices:
    partitions: 6
    replication: 3
    config: {cleanup.policy: compact}
""",
            line=3,
            column=3,
        ),
        Bad(
            """\
version: 1
topics:
  prices:
    partitions: 6
    replication: 3
    key: {type: none}
    config: {cleanup.policy: [compact, delete]}
""",
            line=6,
            column=17,
        ),
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
        ),
    ),
)
