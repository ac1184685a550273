from __future__ import annotations

import math
from collections.abc import Iterator

from ...topology.findings import Severity
from ...topology.model import Topic
from ..helpers import place_of, related, shown
from ..rule import Bad, Context, Problem, Rule
from ..storage import Storage


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    for topic in context.topology.topics.values():
        if not storage.compacts(topic):
            continue
        if storage.deletes(topic):
            yield from _delete_without_retention(context, topic, storage)
        else:
            yield from _retention_without_delete(context, topic)


def _retention_without_delete(context: Context, topic: Topic) -> Iterator[Problem]:
    policy = context.settings.topic(topic, "cleanup.policy")
    for key in ("retention.ms", "retention.bytes"):
        setting = context.settings.topic(topic, key) if topic.config.get(key, "-1") != "-1" else None
        if setting is not None and policy is not None:
            yield Problem(
                f"{topic.name}: {key} is {shown(setting)} and does nothing, as cleanup.policy is compact; expected"
                " compact,delete, or no retention",
                setting.place,
                topic.name,
                f"remove {key}, or set cleanup.policy to compact,delete if old keys should go",
                related(policy, "the policy is set here"),
            )


def _delete_without_retention(context: Context, topic: Topic, storage: Storage) -> Iterator[Problem]:
    policy = context.settings.topic(topic, "cleanup.policy")
    if policy is not None and storage.retention_ms(topic) == storage.retention_bytes(topic) == math.inf:
        yield Problem(
            f"{topic.name}: cleanup.policy is {policy.value} and there is no retention by time or size, so nothing is"
            " deleted; expected a retention, or compact alone",
            place_of(policy, topic),
            topic.name,
            "set retention, or set cleanup.policy to compact",
        )


RULE = Rule(
    id="KT307",
    name="retention-without-effect",
    severity=Severity.WARNING,
    summary="A compacted topic with a retention that does nothing, or `compact,delete` without any retention.",
    why="""\
`compact` alone keeps the last record of every key for ever and does not look at retention. `compact,delete` also
deletes by retention, and without one deletes nothing. In both cases the file says something that does not happen.""",
    fix="Use `compact` without retention to keep every key, or `compact,delete` with one to let old keys go.",
    requirements=("R12", "R27"),
    check=check,
    good=(
        """\
version: 1
topics:
  prices: {partitions: 6, replication: 3, key: {type: string}, config: {cleanup.policy: compact}}
  sessions:
    partitions: 6
    replication: 3
    key: {type: string}
    retention: 7d
    config: {cleanup.policy: [compact, delete]}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  prices: {partitions: 6, replication: 3, key: {type: string}, retention: 7d, config: {cleanup.policy: compact}}
""",
            line=3,
            column=75,
        ),
        Bad(
            """\
version: 1
profiles:
  event: {replication: 3, retention: 7d}
topics:
  prices: {profile: event, partitions: 6, key: {type: string}, config: {cleanup.policy: compact}}
""",
            line=3,
            column=38,
        ),
        Bad(
            """\
version: 1
topics:
  sessions:
    partitions: 6
    replication: 3
    key: {type: string}
    config: {cleanup.policy: "compact,delete", retention.ms: -1}
""",
            line=7,
            column=30,
        ),
    ),
)
