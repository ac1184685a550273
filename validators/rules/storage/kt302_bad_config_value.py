from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import inheriting, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import cluster_name
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT302: bad-config-value

The value of a topic setting has the wrong type, or is out of range.

Kafka refuses a topic with such a value, but only when the change is applied, long after its review.

Fix: Write a value as the message describes it; it follows Kafka's own definition in the declared version.
"""


def check(context: Context) -> Iterator[Problem]:
    known = context.settings.catalogue
    for name, topics in context.index.topics_setting.items():
        key = known.topic.get(name)
        if key is None:
            continue
        judged: dict[str, str | None] = {}
        for topic in topics:
            value = topic.config[name]
            if value not in judged:
                judged[value] = key.problem(value)
            problem = judged[value]
            if problem is not None:
                yield Problem(
                    f"{topic.name}: {name} is {value or 'empty'}; it {problem}",
                    topic.place("config", name),
                    topic.name,
                    f"set {name} to {key.expected}",
                )
    cluster = context.topology.cluster
    for name, value in cluster.defaults.items():
        broker_key = known.broker.get(name)
        problem = broker_key.problem(value) if broker_key is not None else None
        if broker_key is not None and problem is not None:
            yield Problem(
                f"{cluster_name(context.topology)}: {name} is {value or 'empty'}; it {problem}",
                cluster.place("defaults", name).location,
                cluster_name(context.topology),
                f"set {name} to {broker_key.expected}",
            )


GOOD = (
    orders_with("config: {cleanup.policy: compact, segment.bytes: 64MiB}"),
    on_cluster('kafka: "4.2"', orders_with('config: {cleanup.policy: "delete,delete"}')),
    orders_with('config: {leader.replication.throttled.replicas: "0:1,1:2"}'),
)
BAD = (
    Bad(orders_with("config: {cleanup.policy: remove}"), line=3, column=68),
    Bad(inheriting("replication: 3, config: {min.cleanable.dirty.ratio: 1.5}"), line=3, column=63),
    Bad(on_cluster('kafka: "4.1"', orders_with("config: {segment.bytes: 1KiB}")), line=4, column=67),
    Bad(orders_with("config: {leader.replication.throttled.replicas: none}"), line=3, column=91),
    Bad(orders_with("config: {follower.replication.throttled.replicas: 0-1}"), line=3, column=93),
    Bad("version: 1\ncluster: {defaults: {min.insync.replicas: 0}}\n", line=2, column=43, needs_whole=True),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R27",), judges_parts=True)
