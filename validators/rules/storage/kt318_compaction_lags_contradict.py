from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.effective import Setting
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_duration
from kafka_topology.validators.engine.examples import changed, on_cluster
from kafka_topology.validators.engine.helpers import NO_LIMIT, cluster_name, problem_with, related, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT318: compaction-lags-contradict

`min.compaction.lag.ms` is above `max.compaction.lag.ms`.

The first says how long a record is safe from compaction, the second after how long it must be compacted. Kafka
refuses a topic, and a broker does not start, if the first is longer than the second.

Fix: Set `max.compaction.lag.ms` above `min.compaction.lag.ms`, or remove one of them.
"""

LEAST, MOST = "min.compaction.lag.ms", "max.compaction.lag.ms"


def check(context: Context) -> Iterator[Problem]:
    least_of, most_of = context.index.topic_number(LEAST), context.index.topic_number(MOST)
    setting_them = {topic.name: topic for name in (LEAST, MOST) for topic in context.index.topics_setting.get(name, ())}
    for topic in setting_them.values():
        shortest, longest = least_of(topic), most_of(topic)
        if shortest is None or longest is None or shortest <= longest:
            continue
        least, most = context.settings.topic(topic, LEAST), context.settings.topic(topic, MOST)
        if least is None or most is None:
            continue
        at, other = (least, most) if LEAST in topic.config else (most, least)
        yield problem_with(
            at,
            topic,
            f"{_words(least, most)}, which Kafka refuses; expected at most {format_duration(longest)}",
            f"lower {LEAST}, or raise {MOST} above {format_duration(shortest)}",
            related=related(other, f"{other.name} is set here"),
        )
    yield from _brokers(context)


def _words(least: Setting, most: Setting) -> str:
    return f"{least.name} is {shown(least)}, above {most.name} of {shown(most)}"


def _brokers(context: Context) -> Iterator[Problem]:
    least, most = (context.settings.broker(f"log.cleaner.{name}") for name in (LEAST, MOST))
    if least is None or most is None or (least.number or 0) <= (most.number or NO_LIMIT):
        return
    name = cluster_name(context.topology)
    yield Problem(
        f"{name}: {_words(least, most)}, with which no broker starts; expected at most {shown(most)}",
        (least if least.is_declared else most).place.location,
        name,
        f"lower {least.name}, or raise {most.name}",
    )


EXAMPLE = """\
version: 1
topics:
  prices:
    partitions: 6
    replication: 3
    key: {type: string}
    config: {cleanup.policy: compact, min.compaction.lag.ms: 1h, max.compaction.lag.ms: 1d}
"""

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"min.compaction.lag.ms: 1h": "min.compaction.lag.ms: 2d"}), line=7, column=62),
    Bad(
        on_cluster(
            "defaults: {log.cleaner.min.compaction.lag.ms: 2d}", changed(EXAMPLE, {"min.compaction.lag.ms: 1h, ": ""})
        ),
        line=8,
        column=62,
        needs_whole=True,
    ),
    Bad(
        """\
version: 1
cluster:
  defaults: {log.cleaner.min.compaction.lag.ms: 2d, log.cleaner.max.compaction.lag.ms: 1d}
""",
        line=3,
        column=49,
        needs_whole=True,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R12", "R27"), judges_parts=True)
