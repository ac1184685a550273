from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ..partitioners import is_keyed, looks_at_key, name_of, used_by
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        if topic.ordering != "per-key" or topic.partitions == 1 or topic.key is None or not is_keyed(topic):
            continue
        said = topic.key.partitioner.name
        if not looks_at_key(said):
            yield Problem(
                f"{topic.name}: ordering is per-key and key.partitioner is {said}, which does not look at the key;"
                " expected one that does, such as murmur2",
                topic.place("key", "partitioner"),
                topic.name,
                "set key.partitioner to the one that the producers use to place keys, or the ordering to none",
                (Related(topic.place("ordering").location, "the order is declared here"),),
            )
            continue
        for writer in context.index.writers_of(topic.name):
            used, path = used_by(writer, topic)
            if not looks_at_key(used):
                name = name_of(writer)
                yield Problem(
                    f"{name}: it writes {topic.name}, which is ordered per key, by {used}, which does not look at the"
                    f" key; expected {said}",
                    writer.place(*path),
                    name,
                    f"let the client place keys by {said}",
                    (Related(topic.place("ordering").location, "the order is declared here"),),
                )


RULE = Rule(
    id="KT214",
    name="order-on-ignored-keys",
    severity=Severity.ERROR,
    summary="Order per key, and a partitioner that does not look at the key.",
    why="""\
Round robin, sticky and random partitioners, and `partitioner.ignore.keys`, spread the records of one key over all
partitions. The key is there, yet order is not.""",
    fix="Use a partitioner that places by key, such as `murmur2`, or declare `ordering: none`.",
    requirements=("R8", "R10"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, ordering: per-key, key: {type: uuid, partitioner: murmur2}}
  clicks: {partitions: 6, replication: 3, key: {type: uuid, partitioner: round-robin}}
producers:
  checkout: {topics: [orders]}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, ordering: per-key, key: {type: uuid, partitioner: round-robin}}
""",
            line=3,
            column=93,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, ordering: per-key, key: {type: uuid}}
producers:
  checkout: {topics: [orders], partitioner: sticky}
""",
            line=5,
            column=45,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, ordering: per-key, key: {type: uuid}}
producers:
  checkout: {topics: [orders], config: {partitioner.ignore.keys: true}}
""",
            line=5,
            column=66,
        ),
    ),
)
