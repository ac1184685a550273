"""The libraries that a client can declare. One table: language, rules, client settings and docs are made from it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ....model.declared import Client, ConsumerGroup, Producer
from ....model.places import Place
from .go import FRANZ_GO, KAFKA_GO, SARAMA
from .java import JAVA, SPRING
from .kafkajs import KAFKAJS
from .library import Library, Own
from .librdkafka import LIBRDKAFKA
from .python import AIOKAFKA, KAFKA_PYTHON
from .relations import Side

__all__ = [
    "LIBRARIES",
    "Library",
    "Own",
    "Side",
    "config_place",
    "given",
    "given_as",
    "given_name",
    "library_of",
    "side_of",
]

LIBRARIES: Final[Mapping[str, Library]] = MappingProxyType(
    {
        library.name: library
        for library in (JAVA, SPRING, LIBRDKAFKA, KAFKA_PYTHON, AIOKAFKA, SARAMA, FRANZ_GO, KAFKA_GO, KAFKAJS)
    }
)


def library_of(client: Client) -> Library | None:
    """The declared library; None if none is declared, and the Java client is assumed."""
    name = client.library if isinstance(client, Producer | ConsumerGroup) else None
    return None if name is None else LIBRARIES[name]


def side_of(client: Client) -> Side:
    return "producer" if isinstance(client, Producer) else "consumer"


def given(client: Producer | ConsumerGroup) -> Mapping[str, str]:
    """The declared settings by Java's names, in Java's terms. Settings that Java does not have are left out."""
    library = library_of(client)
    if library is None or library.has_java_names:
        return client.config
    known = library.settings(side_of(client))
    return {
        own.java: own.to_java(value)
        for name, value in client.config.items()
        if (own := known.get(name)) is not None and own.java is not None
    }


def given_as(client: Producer | ConsumerGroup) -> Mapping[str, tuple[Own, str]]:
    """By Java's names, the library's own settings and values that are declared; none if it has Java's names."""
    library = library_of(client)
    if library is None or library.has_java_names:
        return {}
    known = library.settings(side_of(client))
    found = ((known[name], value) for name, value in client.config.items() if name in known)
    return {own.java: (own, value) for own, value in found if own.java is not None}


def given_name(client: Producer | ConsumerGroup, java: str) -> str:
    """The name under which a file sets a setting of the Java client; Java's own if it does not."""
    library = library_of(client)
    if library is None or library.has_java_names:
        return java
    known = library.settings(side_of(client))
    return next((name for name in client.config if name in known and known[name].java == java), java)


def config_place(client: Producer | ConsumerGroup, java: str) -> Place:
    """Where a file sets a setting of the Java client, under whatever name."""
    return client.place("config", given_name(client, java))
