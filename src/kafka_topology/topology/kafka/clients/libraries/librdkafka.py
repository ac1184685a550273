"""librdkafka, and the clients built on it: confluent-kafka for Python, Go and .NET, node-rdkafka, rust-rdkafka.

The list of its settings is `librdkafka.json`, which `tools/librdkafka.py` reads from the library itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from ...config_key import ConfigKey
from ...partitioners import BY_NAME
from .library import Form, Library, Own
from .librdkafka_fit import ADAPTED, RELATIONS, fitted
from .relations import Side

# Settings that the Java client has under another name. Same names mean the same, except those below.
_JAVA_NAMES: dict[str, str] = {
    "message.max.bytes": "max.request.size",
    "queue.buffering.max.kbytes": "buffer.memory",
    "socket.send.buffer.bytes": "send.buffer.bytes",
    "socket.receive.buffer.bytes": "receive.buffer.bytes",
    "fetch.wait.max.ms": "fetch.max.wait.ms",
    "sasl.mechanisms": "sasl.mechanism",
    "request.required.acks": "acks",
    "message.send.max.retries": "retries",
    "message.timeout.ms": "delivery.timeout.ms",
    "queue.buffering.max.ms": "linger.ms",
    "max.in.flight": "max.in.flight.requests.per.connection",
    "compression.codec": "compression.type",
    "fetch.message.max.bytes": "max.partition.fetch.bytes",
    "auto.commit.enable": "enable.auto.commit",
}
_WORDS: dict[str, tuple[tuple[str, str], ...]] = {
    "acks": (("all", "all"), ("-1", "all")),
    "auto.offset.reset": (
        ("earliest", "earliest"),
        ("smallest", "earliest"),
        ("beginning", "earliest"),
        ("latest", "latest"),
        ("largest", "latest"),
        ("end", "latest"),
        ("error", "none"),
    ),
    "partition.assignment.strategy": (
        ("range", "org.apache.kafka.clients.consumer.RangeAssignor"),
        ("roundrobin", "org.apache.kafka.clients.consumer.RoundRobinAssignor"),
        ("cooperative-sticky", "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"),
    ),
    "ssl.endpoint.identification.algorithm": (("none", ""), ("https", "https")),
    "connections.max.idle.ms": (("0", "-1"), ("1", "0")),  # 0 is never
    "delivery.timeout.ms": (("0", "2147483647"),),  # 0 is for ever
    "send.buffer.bytes": (("0", "-1"),),
    "receive.buffer.bytes": (("0", "-1"),),
    "group.protocol": tuple((each.lower(), each) for each in ("consumer", "CONSUMER", "classic", "CLASSIC")),
}
_BOOLEANS = (("true", "true"), ("false", "false"), ("t", "true"), ("1", "true"), ("f", "false"), ("0", "false"))
# Same name, another meaning: `max.poll.records` is for share consumers only, `sasl.kerberos.kinit.cmd` a whole command.
_DIFFERENT = frozenset({"max.poll.records", "sasl.kerberos.kinit.cmd"})
# Narrower than the library says: its constructor refuses others.
_BOUNDS = {"fetch.min.bytes": (1, 100_000_000)}
# Only one of the two sides has it in Java.
_OF_CONSUMERS = {"socket.timeout.ms": "request.timeout.ms"}
_OF_PRODUCERS = {"compression.level": "compression.gzip.level"}
_TYPES = {"integer": "int", "boolean": "boolean", "float": "double"}


def _data() -> Mapping[str, Any]:
    data: Mapping[str, Any] = json.loads((files(__package__) / "librdkafka.json").read_bytes())
    return data


def _settings(rows: Mapping[str, Mapping[str, Any]], side: Side) -> dict[str, Own]:
    letter = "P" if side == "producer" else "C"
    return {name: _own(name, row, side) for name, row in rows.items() if row["for"] in ("*", letter)}


def _choices(name: str, row: Mapping[str, Any]) -> tuple[str, ...]:
    """The words that it takes; its list does not name those of numbers and booleans."""
    if row["type"] == "boolean":
        return tuple(word for word, _ in _BOOLEANS)
    return ("all",) if _JAVA_NAMES.get(name, name) == "acks" else tuple(row.get("choices", ()))


def _own(name: str, row: Mapping[str, Any], side: Side) -> Own:
    least, most = _BOUNDS.get(name, (row.get("min"), row.get("max")))
    key = ConfigKey(
        name=name,
        type=_TYPES.get(row["type"], "string"),  # type: ignore[arg-type]
        minimum=least,
        maximum=most,
        choices=_choices(name, row),
        ignore_case=True,
    )
    sided = _OF_PRODUCERS if side == "producer" else _OF_CONSUMERS
    java = None if name in _DIFFERENT else sided.get(name, _JAVA_NAMES.get(name, name))
    words = _BOOLEANS if row["type"] == "boolean" else _WORDS.get(java or "", ())
    form: Form = "kib" if name.endswith(".kbytes") else "same"
    own = Own(java, None, form, words, key)
    default = row.get("default")
    return own if default is None else Own(java, own.to_java(default), form, words, key)


_DATA = _data()
LIBRDKAFKA = Library(
    "librdkafka",
    "librdkafka",
    "librdkafka",
    "librdkafka-consistent-random",
    _settings(_DATA["settings"], "producer"),
    _settings(_DATA["settings"], "consumer"),
    # Of two that librdkafka calls the same, its own comes last.
    {each.name: each.librdkafka for each in BY_NAME.values() if each.librdkafka is not None},
    partitioner_setting="partitioner",
    version=_DATA["version"],
    when_idempotent={"acks": "all", "max.in.flight.requests.per.connection": "5", "retries": "2147483647"},
    when_transactional={"enable.idempotence": "true"},
    in_code={"sasl.kerberos.kinit.cmd": "librdkafka takes a whole command by this name, in which the path belongs"},
    record_limit="max.poll.interval.ms",
    mixes_assignors=False,
    commits_processed=("enable.auto.offset.store", "false"),  # then the application stores what it processed
    relations=RELATIONS,
    adapts=ADAPTED,
    fit=fitted,
)
