"""Which partitioner a writer uses, and which one is in effect for a topic."""

from __future__ import annotations

from kafka_topology.topology.kafka.clients.libraries import Library, library_of
from kafka_topology.topology.kafka.partitioners import JAVA_CLASSES, KEYLESS_PARTITIONERS, family
from kafka_topology.topology.model.declared import Producer, StreamsApplication, Topic
from kafka_topology.topology.model.places import Layer
from kafka_topology.topology.model.units import kafka_true

from .indexes import Index


def looks_at_key(partitioner: str) -> bool:
    return partitioner not in KEYLESS_PARTITIONERS


def is_keyed(topic: Topic) -> bool:
    return topic.key is not None and topic.key.type != "none"


def declares_partitioner(topic: Topic) -> bool:
    return topic.place("key", "partitioner").layer is not Layer.LANGUAGE


def used_by(writer: Producer | StreamsApplication, topic: Topic) -> tuple[str, tuple[str, ...]]:
    """How a writer places the keys of a topic, and the path to that declaration. By default it follows the topic."""
    if isinstance(writer, StreamsApplication):
        return "murmur2", ()
    library = library_of(writer)
    if library is not None and not library.has_java_names:
        return _used_by_library(library, writer)
    if writer.config:
        java_class = writer.config.get("partitioner.class")
        if java_class:
            known = JAVA_CLASSES.get(java_class)
            if known is not None or writer.partitioner is None:
                return known or "custom", ("config", "partitioner.class")
        elif kafka_true(writer.config.get("partitioner.ignore.keys")):
            return "sticky", ("config", "partitioner.ignore.keys")
    if writer.partitioner is not None:
        return writer.partitioner, ("partitioner",)
    if library is not None:
        return library.partitioner, ("library",)
    return said_by(topic), ()


def _used_by_library(library: Library, writer: Producer) -> tuple[str, tuple[str, ...]]:
    """A declared library places keys by its own default, unless something else is declared."""
    name = library.partitioner_setting
    chosen = writer.config.get(name) if name is not None else None
    if name is not None and chosen is not None:
        known = library.partitioner_called(chosen)
        if known is not None or writer.partitioner is None:
            return known or "custom", ("config", name)
    if writer.partitioner is not None:
        return writer.partitioner, ("partitioner",)
    return library.partitioner, ("library",)


def said_by(topic: Topic) -> str:
    return topic.key.partitioner.name if topic.key is not None else "murmur2"


def in_force(index: Index, topic: Topic) -> str:
    """The declared partitioner; if none is declared and all writers agree on another one, that one."""
    said = said_by(topic)
    used = {family(name): name for name, _ in (used_by(writer, topic) for writer in index.writers_of(topic.name))}
    if not used or family(said) in used or declares_partitioner(topic):
        return said
    return next(iter(used.values()))


def name_of(writer: Producer | StreamsApplication) -> str:
    return writer.application_id if isinstance(writer, StreamsApplication) else writer.name
