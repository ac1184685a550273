"""Clients with settings that hardly go together: the same ones for the same seed."""

from __future__ import annotations

import json
import random

from kafka_topology.topology import load
from kafka_topology.topology.kafka.clients.settings import client_settings

_NUMBERS = ("0", "1", "100", "6000", "30000", "45000", "300000", "600000", "1000000", "86400000", "2147483647")
_BOTH = ("true", "false")
_DELIVERIES = ("at-most-once", "at-least-once", "exactly-once")
_JAVA = {
    "producers": {
        **dict.fromkeys(
            (
                "linger.ms",
                "delivery.timeout.ms",
                "request.timeout.ms",
                "batch.size",
                "transaction.timeout.ms",
                "max.block.ms",
                "retry.backoff.ms",
                "connections.max.idle.ms",
                "reconnect.backoff.ms",
                "reconnect.backoff.max.ms",
            ),
            _NUMBERS,
        ),
        "acks": ("0", "1", "all", "-1"),
        "retries": ("0", "5"),
        "enable.idempotence": _BOTH,
        "max.in.flight.requests.per.connection": ("1", "5", "6"),
        "transactional.id": ("odd",),
    },
    "consumerGroups": {
        **dict.fromkeys(
            (
                "session.timeout.ms",
                "heartbeat.interval.ms",
                "max.poll.interval.ms",
                "fetch.max.wait.ms",
                "request.timeout.ms",
                "fetch.max.bytes",
                "connections.max.idle.ms",
                "reconnect.backoff.ms",
                "reconnect.backoff.max.ms",
            ),
            _NUMBERS,
        ),
        "group.protocol": ("classic", "consumer"),
        "group.remote.assignor": ("uniform",),
        "enable.auto.commit": _BOTH,
        "isolation.level": ("read_committed", "read_uncommitted"),
    },
}
_LIBRDKAFKA = {
    "producers": {
        **dict.fromkeys(("message.timeout.ms", "queue.buffering.max.ms", "socket.timeout.ms"), _NUMBERS),
        "enable.gapless.guarantee": _BOTH,
        "queuing.strategy": ("lifo", "fifo"),
        "queue.buffering.backpressure.threshold": ("1", "10"),
        "request.required.acks": ("all", "1"),
    },
    "consumerGroups": {
        **dict.fromkeys(
            (
                "receive.message.max.bytes",
                "message.max.bytes",
                "queued.max.messages.kbytes",
                "fetch.wait.max.ms",
                "socket.timeout.ms",
                "fetch.message.max.bytes",
            ),
            _NUMBERS,
        ),
        "group.protocol.type": ("consumer",),
        "enable.auto.offset.store": _BOTH,
    },
}
# What librdkafka calls something else, and what kafka-python does not have.
_NOT_LIBRDKAFKA = ("max.block.ms", "fetch.max.wait.ms", "request.timeout.ms")
_NOT_PYTHON = ("group.protocol", "group.remote.assignor")


def _settings(library, section):
    java = _JAVA[section]
    if library == "librdkafka":
        return {name: each for name, each in java.items() if name not in _NOT_LIBRDKAFKA} | _LIBRDKAFKA[section]
    if library == "kafka-python":
        # It connects when it is created: within a second, or not at all.
        patient = {"request.timeout.ms": _NUMBERS[3:]}
        return {name.replace(".", "_"): each for name, each in (java | patient).items() if name not in _NOT_PYTHON}
    return java


def odd_clients(library, folder, number, seed):
    """As many producers, and as many consumers, with what each declares."""
    chosen = random.Random(seed)  # noqa: S311 - the same ones each time
    declared = {}
    for section in ("producers", "consumerGroups"):
        settings = _settings(library, section)
        for index in range(number):
            names = chosen.sample(sorted(settings), chosen.randint(2, 5))
            delivery = chosen.choice(_DELIVERIES)
            role = {"topics": ["t"], "library": library, "delivery": delivery}
            if section == "producers" and delivery == "exactly-once":
                role["transactionalId"] = "odd-"
            role["config"] = {name: chosen.choice(settings[name]) for name in names}
            declared.setdefault(section, {})[f"{section}-{index}"] = role
    file = folder / "odd.json"
    file.write_text(json.dumps({"version": 1, "topics": {"t": {"partitions": 3, "replication": 3}}, **declared}))
    loaded = load(file.rename(file.with_suffix(".yaml")))
    assert loaded.topology is not None, loaded.problems
    roles = {name: role for section in declared.values() for name, role in section.items()}
    return [(roles[client.name], client) for client in client_settings(loaded.topology)]
