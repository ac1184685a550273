"""How keys are written as bytes, by their declared types."""

from __future__ import annotations

from kafka_topology.topology.model.declared import Key

# Java's UUIDSerializer writes the text of the UUID, as the StringSerializer would.
_TEXT = ("string", "uuid", "pattern")


def type_shown(key: Key) -> str:
    return key.pattern_name or key.type


def keeps_bytes(old: Key, new: Key) -> bool:
    """Whether a key has the same bytes under both types. `bytes` says nothing about them."""
    types = {old.type, new.type}
    return types <= set(_TEXT) or ("bytes" in types and "none" not in types)
