"""The classes of Kafka's own packages that settings of the Java clients can name. These lists are closed."""

from __future__ import annotations

from typing import Final

_SERIALIZED: Final = (
    *("Boolean", "ByteArray", "ByteBuffer", "Bytes", "Double", "Float", "Integer", "List", "Long", "Short", "String"),
    *("UUID", "Void"),
)
_ASSIGNORS: Final = (
    "org.apache.kafka.clients.consumer.",
    ("CooperativeStickyAssignor", "RangeAssignor", "RoundRobinAssignor", "StickyAssignor"),
)
_SERIALIZERS: Final = ("org.apache.kafka.common.serialization.", tuple(f"{each}Serializer" for each in _SERIALIZED))
_DESERIALIZERS: Final = ("org.apache.kafka.common.serialization.", tuple(f"{each}Deserializer" for each in _SERIALIZED))
# By setting, the package and its classes. 4.0 removed two partitioners, which clients before it still have.
_CLASSES: Final = {
    "partition.assignment.strategy": _ASSIGNORS,
    "partitioner.class": (
        "org.apache.kafka.clients.producer.",
        ("RoundRobinPartitioner", "UniformStickyPartitioner", "internals.DefaultPartitioner"),
    ),
    "key.serializer": _SERIALIZERS,
    "value.serializer": _SERIALIZERS,
    "key.deserializer": _DESERIALIZERS,
    "value.deserializer": _DESERIALIZERS,
}


def missing_class(setting: str, value: str) -> tuple[str, tuple[str, ...]] | None:
    """A class that Kafka's own package does not have, with those that it has; None for classes of others."""
    package, classes = _CLASSES.get(setting, ("", ()))
    for item in value.split(","):
        name = item.strip()
        bare = name.strip("[]\"' ")
        if classes and bare.startswith(package) and (name != bare or bare.removeprefix(package) not in classes):
            return name, tuple(package + each for each in classes)
    return None
