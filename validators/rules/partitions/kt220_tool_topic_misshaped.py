from __future__ import annotations

import math
from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import changed
from kafka_topology.validators.engine.helpers import count_place, topic_problem
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.storage import Storage
from kafka_topology.validators.facts.topic_purposes import needed_shape

DOCS = """\
# KT220: tool-topic-misshaped

A topic of Connect, MirrorMaker, Debezium or a schema registry has a shape with which the tool cannot work.

Connect keeps its connectors in a topic with exactly one partition, because they must be read in order, and its three
topics must be compacted only: with `delete`, it would forget connectors and offsets after the retention. Schema
registries need the same of `_schemas`, and MirrorMaker of `mm2-configs`, `mm2-offsets` and `mm2-status`. They check it
when they start, and stop. Debezium reads the history of the tables' schemas from its beginning at each start: it must
be in one partition, in order, and nothing may be deleted or compacted away.

The rule knows the topics by their usual names: `connect-configs`, `connect-offsets` and `connect-status`, also with a
prefix, or with `connect-cluster` as Strimzi calls them, `mm2-configs.<cluster>.internal`, `schemahistory.<name>`,
`dbhistory.<name>` and `_schemas`.

Fix: Set `cleanup.policy: compact`, and one partition for `connect-configs` and `_schemas`; for the history of Debezium
`retention: forever`. Partitions cannot be removed: create the topic again while the tool is stopped.
"""


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    for topic in context.topology.topics.values():
        shape = needed_shape(topic.name)
        if shape is None:
            continue
        if shape.one_partition and topic.partitions != 1:
            yield Problem(
                f"{topic.name}: {topic.partitions} partitions, but {shape.tool} needs exactly one; expected 1",
                count_place(context.topology, topic, "partitions"),
                topic.name,
                "set partitions to 1, and create the topic again if it exists",
            )
        if shape.kept_forever and storage.deletes(topic):
            for key, kept in (
                ("retention.ms", storage.retention_ms(topic)),
                ("retention.bytes", storage.retention_bytes(topic)),
            ):
                if kept < math.inf:
                    yield from topic_problem(
                        context,
                        topic,
                        key,
                        f"{key} is limited, but {shape.tool} reads the topic from its beginning at each start; expected"
                        " no limit",
                        f"set {'retention to forever' if key == 'retention.ms' else 'retention.bytes to -1'}",
                    )
        if set(storage.policy(topic)) != {shape.policy}:
            yield from topic_problem(
                context,
                topic,
                "cleanup.policy",
                f"cleanup.policy is {','.join(storage.policy(topic))}, but {shape.tool} keeps its state in it;"
                f" expected {shape.policy}",
                f"set cleanup.policy to {shape.policy}",
            )


EXAMPLE = "version: 1\ntopics:\n  {}: {{partitions: {}, replication: 3, config: {{cleanup.policy: {}}}}}\n"

HISTORY = "version: 1\ntopics:\n  schemahistory.inventory: {partitions: 1, replication: 3, retention: forever}\n"

GOOD = (
    EXAMPLE.format("shop-connect-configs", 1, "compact"),
    EXAMPLE.format("connect-offsets", 25, "compact"),
    EXAMPLE.format("_schemas", 1, "compact"),
    EXAMPLE.format("orders.connected", 3, "delete"),
    EXAMPLE.format("connect-cluster-offsets", 25, "compact"),
    EXAMPLE.format("mm2-configs.us.internal", 1, "compact"),
    HISTORY,
)
BAD = (
    Bad(EXAMPLE.format("shop-connect-configs", 3, "compact"), line=3, column=38),
    Bad(EXAMPLE.format("connect-offsets", 25, "delete"), line=3, column=78),
    Bad(EXAMPLE.format("connect.status", 5, '"compact,delete"'), line=3, column=76),
    Bad(EXAMPLE.format("_schemas", 3, "compact"), line=3, column=26),
    Bad(EXAMPLE.format("_connect-configs", 2, "compact"), line=3, column=34),
    Bad(EXAMPLE.format("connect-cluster-offsets", 25, "delete"), line=3, column=86),
    Bad(EXAMPLE.format("mm2-configs.us.internal", 3, "compact"), line=3, column=41),
    Bad(EXAMPLE.format("mm2-offsets.us.internal", 25, "delete"), line=3, column=86),
    Bad(changed(HISTORY, {"partitions: 1": "partitions: 3"}), line=3, column=41),
    Bad(changed(HISTORY, {"forever": "7d"}), line=3, column=71),
    Bad("version: 1\ntopics:\n  _schemas: {partitions: 1, replication: 3}\n", line=3, column=13),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R5",))
