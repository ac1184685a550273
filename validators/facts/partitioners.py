"""Which partitioners put a key into the same partition, and which one a writer uses."""

from __future__ import annotations

from ..topology.model import Producer, StreamsApplication, Topic
from ..topology.partitioners import KEYLESS_PARTITIONERS
from ..topology.places import Layer
from .indexes import Index

# Partitioners of one family differ only in what they do with null and empty keys.
_FAMILIES = {
    "murmur2": "murmur2",
    "librdkafka-murmur2": "murmur2",
    "librdkafka-murmur2-random": "murmur2",
    "librdkafka-consistent": "crc32",
    "librdkafka-consistent-random": "crc32",
    "librdkafka-fnv1a": "fnv1a",
    "librdkafka-fnv1a-random": "fnv1a",
    "sarama-hash": "fnv1a",
    "sarama-reference-hash": "fnv1a-masked",
    # The application decides: a table says how, and a producer can only say that it does.
    "explicit": "application",
    "custom": "application",
    "range": "application",
    "list": "application",
}
_JAVA_PACKAGE = "org.apache.kafka.clients.producer."
_JAVA_CLASSES = {
    f"{_JAVA_PACKAGE}RoundRobinPartitioner": "round-robin",
    f"{_JAVA_PACKAGE}UniformStickyPartitioner": "sticky",
    f"{_JAVA_PACKAGE}internals.DefaultPartitioner": "murmur2",
}


def family(partitioner: str) -> str:
    """Two partitioners of one family put every key that is not null or empty into the same partition."""
    return _FAMILIES.get(partitioner, partitioner)


def looks_at_key(partitioner: str) -> bool:
    return partitioner not in KEYLESS_PARTITIONERS


def is_keyed(topic: Topic) -> bool:
    return topic.key is not None and topic.key.type != "none"


def declares_partitioner(topic: Topic) -> bool:
    return topic.place("key", "partitioner").layer is not Layer.LANGUAGE


def used_by(writer: Producer | StreamsApplication, topic: Topic) -> tuple[str, tuple[str, ...]]:
    """How a writer places the keys of a topic, and the path to what says so. By default it does as the topic says."""
    if isinstance(writer, StreamsApplication):
        return "murmur2", ()
    if writer.config:
        java_class = writer.config.get("partitioner.class")
        if java_class:
            known = _JAVA_CLASSES.get(java_class)
            if known is not None or writer.partitioner is None:
                return known or "custom", ("config", "partitioner.class")
        elif writer.config.get("partitioner.ignore.keys") == "true":
            return "sticky", ("config", "partitioner.ignore.keys")
    if writer.partitioner is not None:
        return writer.partitioner, ("partitioner",)
    return said_by(topic), ()


def said_by(topic: Topic) -> str:
    return topic.key.partitioner.name if topic.key is not None else "murmur2"


def in_force(index: Index, topic: Topic) -> str:
    """What the topic says; if it says nothing and all its writers agree on something else, that."""
    said = said_by(topic)
    used = {family(name): name for name, _ in (used_by(writer, topic) for writer in index.writers_of(topic.name))}
    if not used or family(said) in used or declares_partitioner(topic):
        return said
    return next(iter(used.values()))


def name_of(writer: Producer | StreamsApplication) -> str:
    return writer.application_id if isinstance(writer, StreamsApplication) else writer.name
