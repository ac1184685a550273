from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import StreamsApplication
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, SUMMING, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT111: streams-state-deleted

A streams application lets Kafka delete the records of its internal topics.

Settings with the prefix `topic.` apply to all internal topics. A changelog is compacted: with
`topic.cleanup.policy: delete`, Kafka deletes old records of it, and an application that restores its state from it
loses every key that was not updated for the time of the retention. A repartition topic keeps records until the
application has processed them; with `topic.retention.ms`, Kafka deletes them after that time, processed or not.
Changelogs that are only compacted ignore the retention, so the rule says nothing about it if all topics that are listed
under `internalTopics` are changelogs.

Fix: Remove the setting: Kafka Streams chooses policy and retention for each internal topic.
"""

POLICY, RETENTION = "topic.cleanup.policy", "topic.retention.ms"


def check(context: Context) -> Iterator[Problem]:
    for application in context.topology.streams.values():
        policy = application.config.get(POLICY)
        deletes = policy is not None and [each.strip() for each in policy.split(",")] == ["delete"]
        if deletes and _may_have(application, "-changelog"):
            what = f"{POLICY} is delete, so its changelogs lose state; expected no such setting"
            yield _problem(application, POLICY, what)
        kept = context.settings.streams(application, RETENTION)
        if kept is not None and (kept.number or -1) >= 0 and not deletes and _may_have(application, "-repartition"):
            what = f"{RETENTION} is {kept.number}ms, after which Kafka deletes records that it has not processed yet"
            yield _problem(application, RETENTION, f"{what}; expected no such setting")


def _may_have(application: StreamsApplication, kind: str) -> bool:
    internal = application.internal_topics
    return internal is None or not internal.topics or any(topic.endswith(kind) for topic in internal.topics)


def _problem(application: StreamsApplication, setting: str, what: str) -> Problem:
    name = application.application_id
    return Problem(f"{name}: {what}", application.place("config", setting), name, f"remove {setting}")


EXAMPLE = ORDERS + SUMMING + "    config: {topic.segment.bytes: 100MiB}\n"
CHANGELOG = ORDERS + SUMMING + "    internalTopics: {topics: [summing-sum-changelog]}\n"

GOOD = (
    EXAMPLE,
    CHANGELOG + '    config: {topic.retention.ms: 1h, topic.cleanup.policy: "compact,delete"}\n',
)
BAD = (
    Bad(changed(EXAMPLE, {"topic.segment.bytes: 100MiB": "topic.cleanup.policy: delete"}), line=9, column=36),
    Bad(CHANGELOG + "    config: {topic.cleanup.policy: delete, topic.retention.ms: 1h}\n", line=10, column=36),
    Bad(
        changed(CHANGELOG, {"sum-changelog": "sum-repartition"}) + "    config: {topic.retention.ms: 1h}\n",
        line=10,
        column=34,
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R1", "R4"))
