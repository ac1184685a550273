"""Client settings as Java properties, and as what librdkafka and the clients built on it take."""

from __future__ import annotations

from typing import Any

from ..model.units import kafka_integer
from .clients import Client, ClientKind, Property
from .partitioners import BY_NAME, OtherPartitioner, is_java_default

# Names that librdkafka shares with the Java clients, with the same meaning.
_COMMON = frozenset(
    [
        "bootstrap.servers",
        "client.dns.lookup",
        "client.id",
        "connections.max.idle.ms",
        "enable.metrics.push",
        "metadata.max.age.ms",
        "metadata.recovery.strategy",
        "reconnect.backoff.max.ms",
        "reconnect.backoff.ms",
        "retry.backoff.max.ms",
        "retry.backoff.ms",
        "sasl.kerberos.kinit.cmd",
        "sasl.kerberos.min.time.before.relogin",
        "sasl.kerberos.service.name",
        "sasl.mechanism",
        "sasl.oauthbearer.scope",
        "sasl.oauthbearer.token.endpoint.url",
        "security.protocol",
        "socket.connection.setup.timeout.ms",
        "ssl.cipher.suites",
        "ssl.endpoint.identification.algorithm",
        "ssl.key.password",
        "ssl.keystore.location",
        "ssl.keystore.password",
        "client.rack",
    ]
)
SHARED: dict[ClientKind, frozenset[str]] = {
    "producer": _COMMON
    | frozenset(
        [
            "acks",
            "batch.size",
            "compression.type",
            "delivery.timeout.ms",
            "enable.idempotence",
            "linger.ms",
            "max.in.flight.requests.per.connection",
            "request.timeout.ms",
            "retries",
            "transaction.timeout.ms",
            "transactional.id",
        ]
    ),
    "consumer": _COMMON
    | frozenset(
        [
            "allow.auto.create.topics",
            "auto.commit.interval.ms",
            "auto.offset.reset",
            "check.crcs",
            "enable.auto.commit",
            "fetch.max.bytes",
            "fetch.min.bytes",
            "group.id",
            "group.instance.id",
            "group.protocol",
            "group.remote.assignor",
            "heartbeat.interval.ms",
            "isolation.level",
            "max.partition.fetch.bytes",
            "max.poll.interval.ms",
            "partition.assignment.strategy",
            "session.timeout.ms",
        ]
    ),
    "streams": frozenset(),
}
_RENAMED: dict[ClientKind, dict[str, str]] = {
    "producer": {
        "max.request.size": "message.max.bytes",
        "compression.gzip.level": "compression.level",
        "compression.lz4.level": "compression.level",
        "compression.zstd.level": "compression.level",
        "send.buffer.bytes": "socket.send.buffer.bytes",
        "receive.buffer.bytes": "socket.receive.buffer.bytes",
        "buffer.memory": "queue.buffering.max.kbytes",
    },
    "consumer": {
        "fetch.max.wait.ms": "fetch.wait.max.ms",
        "request.timeout.ms": "socket.timeout.ms",
        "send.buffer.bytes": "socket.send.buffer.bytes",
        "receive.buffer.bytes": "socket.receive.buffer.bytes",
    },
    "streams": {},
}
_ASSIGNORS = {
    "org.apache.kafka.clients.consumer.RangeAssignor": "range",
    "org.apache.kafka.clients.consumer.RoundRobinAssignor": "roundrobin",
    "org.apache.kafka.clients.consumer.CooperativeStickyAssignor": "cooperative-sticky",
}


def as_properties(client: Client) -> str:
    """A `.properties` file with the reason above each setting."""
    properties, notes = list(client.properties), list(client.notes)
    chosen = client.partitioner
    known = BY_NAME.get(chosen or "")
    if known is not None and known.java is not None:
        reason = f"partitioner: {known.name}"
        keyless = isinstance(known, OtherPartitioner)
        properties.append(Property(*known.java, f"{reason}, whatever the key" if keyless else reason))
    elif chosen is not None and not (known is not None and is_java_default(known)):
        notes.append(f"partitioner.class: the Java client has none for {chosen}; it needs a class of its own")
    lines = [f"# {_one_line(client.title)}"]
    for item in properties:
        lines += ["", f"# {_one_line(item.reason)}", f"{_escaped(item.name, key=True)}={_escaped(item.value)}"]
    if notes:
        lines += ["", *(f"# note: {_one_line(note)}" for note in notes)]
    return "\n".join(lines) + "\n"


def as_librdkafka(client: Client) -> dict[str, Any]:
    """Plain data for JSON: `config` is what a librdkafka client takes; what it has no name for is in the notes."""
    config: dict[str, str] = {}
    reasons: dict[str, str] = {}
    notes = list(client.notes)
    for item in client.properties:
        translated = _translated(client.kind, item)
        if translated is None:
            notes.append(f"{item.name}={item.value}: librdkafka has nothing like it ({item.reason})")
        else:
            config[translated.name] = translated.value
            reasons[translated.name] = translated.reason
    chosen = client.partitioner
    known = BY_NAME.get(chosen or "")
    if known is not None and known.librdkafka is not None:
        config["partitioner"] = known.librdkafka
        reasons["partitioner"] = f"partitioner: {chosen}; librdkafka's default places keys elsewhere"
    elif chosen is not None:
        notes.append(f"partitioner: librdkafka has none for {chosen}; the application must set the partition")
    return {"kind": client.kind, "name": client.name, "config": config, "reasons": reasons, "notes": notes}


def _translated(kind: ClientKind, item: Property) -> Property | None:
    value = _translated_value(item.name, item.value)
    if value is None:
        return None
    if item.name in SHARED[kind]:
        return Property(item.name, value, item.reason)
    renamed = _RENAMED[kind].get(item.name)
    return Property(renamed, value, item.reason) if renamed is not None else None


def _translated_value(name: str, value: str) -> str | None:
    if name == "auto.offset.reset":
        return {"earliest": "earliest", "latest": "latest", "none": "error"}.get(value)
    if name == "partition.assignment.strategy":
        names = [_ASSIGNORS.get(item.strip()) for item in value.split(",")]
        return ",".join(item for item in names if item is not None) if all(names) else None
    if name == "buffer.memory":
        count = kafka_integer(value)
        return str(max(1, count // 1024)) if count is not None else None
    if name in ("send.buffer.bytes", "receive.buffer.bytes"):
        return "0" if value == "-1" else value  # the system's default
    if name == "group.protocol":
        return value.lower()
    return value


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _escaped(text: str, *, key: bool = False) -> str:
    """As java.util.Properties reads it: backslashes, line ends, and what Latin-1 does not have."""
    out = []
    for index, character in enumerate(text):
        if character == "\\" or (key and character in " :=#!") or (index == 0 and character in " #!"):
            out.append(f"\\{character}")
        elif character in "\n\r\t\f":
            out.append({"\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f"}[character])
        elif " " <= character <= "~":
            out.append(character)
        else:
            data = character.encode("utf-16-be")
            out += [f"\\u{data[i]:02x}{data[i + 1]:02x}" for i in range(0, len(data), 2)]
    return "".join(out)
