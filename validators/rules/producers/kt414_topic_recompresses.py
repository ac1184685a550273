from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import own_edit, place_of
from ..rule import Bad, Context, Problem, Rule


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
            f"{name}: compression.type is {setting.value}, and {by} writes it, so brokers compress every batch anew;"
            " expected producer",
            place_of(setting, topics[name]),
            name,
            f"set compression.type of {name} to producer, or use {setting.value} in the producers too",
            edits=own_edit(setting, "producer"),
        )


RULE = Rule(
    id="KT414",
    name="topic-recompresses",
    severity=Severity.ADVICE,
    summary="A topic's compression differs from what its producers already compressed with.",
    why="""\
With `compression.type: producer`, Kafka's default, a broker stores a compressed batch as it comes, without a copy. With
another type than the producer's, it unpacks and packs each batch again: the broker's processors do the clients' work,
and latency grows.""",
    fix="Set the topic's `compression.type` to `producer`, and choose the compression in the producer.",
    requirements=("R17",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {compression.type: producer}}
producers:
  checkout: {topics: [orders], config: {compression.type: zstd}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {compression.type: gzip}}
producers:
  checkout: {topics: [orders], config: {compression.type: zstd}}
""",
            line=3,
            column=70,
        ),
        Bad(
            """\
version: 1
cluster: {defaults: {compression.type: lz4}}
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], config: {compression.type: zstd}}
""",
            line=2,
            column=40,
        ),
    ),
)
