from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_duration, format_size
from kafka_topology.validators.engine.examples import ORDERS, changed, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import problem_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.storage import Storage, partition_bytes

DOCS = """\
# KT805: retention-shortened

A topic keeps its records for less time or space than before.

Brokers apply the new retention within minutes, and delete every closed segment that is too old or too much. A reader
that is behind, or that should read from the beginning, misses those records. Raising the retention again restores
nothing. A `retention.bytes` above what a partition can hold by the declared peak and `retention.ms` deletes nothing.

Fix: Compare the new retention with the `maxOutage` and the lag of every reader before you apply it.
"""


def check(context: Context) -> Iterator[Problem]:
    policy = context.index.topic_items("cleanup.policy")
    before_it, after_it = (Storage(side) for side in context.changes.sides)
    for name in ("retention.ms", "retention.bytes"):
        for old, topic, was, now in context.changes.numbers(name):
            if now < 0 or 0 <= was < now or "delete" not in policy(topic):
                continue
            if name == "retention.bytes" and now >= partition_bytes((old, before_it), (topic, after_it)).most:
                continue
            setting = context.settings.topic(topic, name)
            if setting is None:
                continue
            before, after = _shown(name, was), _shown(name, now)
            what = (
                f"records older than {after}" if name == "retention.ms" else f"everything above {after} in a partition"
            )
            yield problem_with(
                setting,
                topic,
                f"{name} goes from {before} to {after}, so {what} can be deleted at once; expected"
                f" {before}, or readers that no longer need it",
                f"make sure that no reader still needs {what}: it cannot be restored",
            )


def _shown(name: str, value: int) -> str:
    if value < 0:
        return "forever" if name == "retention.ms" else "no limit"
    return format_duration(value) if name == "retention.ms" else format_size(value)


BEFORE = orders_with("retention: 7d")

GOOD = (
    changed(BEFORE, {"retention: 7d": "retention: 14d"}),
    orders_with("retention: 7d, throughput: {peak: 1MB/s}, config: {retention.bytes: 1TiB}"),
)
BAD = (
    Bad(changed(BEFORE, {"retention: 7d": "retention: 1d"}), line=3, column=54),
    Bad(orders_with("retention: 7d, config: {retention.bytes: 1GiB}"), line=3, column=84),
    Bad(on_cluster("defaults: {log.retention.hours: 24}", ORDERS), line=2, column=43),
)

RULE = rule(
    DOCS, Severity.WARNING, check, GOOD, BAD, before=BEFORE, changed=("topic.config.retention.",), requirements=("R27",)
)
