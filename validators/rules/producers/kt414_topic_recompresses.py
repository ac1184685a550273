from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, changed, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import own_edit, place_of
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT414: topic-recompresses

A topic's compression differs from that of its producers.

With `compression.type: producer`, Kafka's default, a broker stores a compressed batch as it arrives, without copying
it. If the types differ, it unpacks and compresses each batch again: the broker's CPUs do the clients' work, and
latency grows.

Fix: Set the topic's `compression.type` to `producer`, and choose the compression in the producer.
"""


def check(context: Context) -> Iterator[Problem]:
    topics = context.topology.topics
    compression_of = context.index.topic_text("compression.type")
    recompressed: dict[str, dict[str, str]] = {}
    for writer in context.index.clients.writers:
        compression = writer.value("compression.type")
        if compression is None or compression == "none":
            continue
        for name in writer.topics:
            topic = topics.get(name)
            if topic is not None and compression_of(topic) not in ("producer", compression):
                recompressed.setdefault(name, {})[writer.name] = compression
    for name, writers in recompressed.items():
        setting = context.settings.topic(topics[name], "compression.type")
        if setting is None:
            continue
        by = ", ".join(f"{writer} with {compression}" for writer, compression in writers.items())
        yield Problem(
            f"{name}: compression.type is {setting.value}, but it is written by {by}, so brokers compress every"
            " batch again; expected producer",
            place_of(setting, topics[name]),
            name,
            f"set compression.type of {name} to producer, or use {setting.value} in the producers too",
            edits=own_edit(setting, "producer"),
        )


WRITER = "producers:\n  checkout: {topics: [orders], config: {compression.type: zstd}}\n"
EXAMPLE = orders_with("config: {compression.type: producer}") + WRITER

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"compression.type: producer": "compression.type: gzip"}), line=3, column=70),
    Bad(on_cluster("defaults: {compression.type: lz4}", ORDERS + WRITER), line=2, column=40),
)

RULE = rule(DOCS, Severity.ADVICE, check, GOOD, BAD, requirements=("R17",))
