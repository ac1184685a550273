"""What to do about a setting, in the words of the client's library."""

from __future__ import annotations

from kafka_topology.topology.kafka.clients.libraries import (
    LIBRARIES,
    Library,
    Own,
    given,
    given_name,
    library_of,
    side_of,
)
from kafka_topology.topology.kafka.clients.libraries.java import JAVA
from kafka_topology.topology.kafka.clients.libraries.relations import Values
from kafka_topology.topology.kafka.clients.settling import values_of
from kafka_topology.topology.model.declared import ConsumerGroup, Declared, Producer


def own_library(client: Declared) -> Library | None:
    """The declared library of a client, if its settings have names of its own."""
    name = client.library if isinstance(client, Producer | ConsumerGroup) else None
    library = LIBRARIES[name] if name is not None else None
    return None if library is None or library.has_java_names else library


def own_setting(client: Declared, java: str) -> tuple[str, Own] | None:
    """What the library calls a setting of the Java client; of several names the one that the file uses."""
    library = own_library(client)
    if library is None or not isinstance(client, Producer | ConsumerGroup):
        return None
    known = library.settings(side_of(client))
    name = given_name(client, java)
    name = name if name in known else library.own_name(side_of(client), java) or ""
    return (name, known[name]) if name in known else None


def called(client: Declared, java: str) -> str:
    """The setting as the client's library calls it; Java's name if it has none."""
    own = own_setting(client, java)
    return java if own is None else own[0]


def compared(client: Producer | ConsumerGroup) -> Values:
    """The settings that the client's library compares when a client is created, by Java's names."""
    config = given(client)
    if isinstance(client, Producer) and client.transactional_id is not None:
        config = {"transactional.id": client.transactional_id, **config}
    return values_of(library_of(client) or JAVA, side_of(client), config)


def refused_by(client: Declared, rule: str) -> str | None:
    """The library with which a client does not start because of what this rule reports; None if it starts."""
    if not isinstance(client, Producer | ConsumerGroup):
        return None
    library, values = library_of(client) or JAVA, compared(client)
    relations = [each for each in library.relations if each.side == side_of(client) and each.found_by == rule]
    return library.title if any(each.is_broken(values) for each in relations) else None


def to_set(client: Declared, java: str, value: str, more: str = "") -> str:
    """The instruction to set a setting: `value` is Java's, `more` follows it, such as " or less"."""
    library = own_library(client)
    if library is None:
        return f"set {java} to {value}{more}"
    own = own_setting(client, java)
    if own is None:
        return f"{library.title} has no {java}, which would have to be {value}{more}"
    name, setting = own
    written = setting.from_java(value)
    if written is None:
        return f"{name} of {library.title} has no value that means {value}"
    return f"remove {name}" if setting.form == "flag" and written == "false" else f"set {name} to {written}{more}"
