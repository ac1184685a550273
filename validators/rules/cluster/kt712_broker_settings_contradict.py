from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.broker_pairs import HARMFUL, QUORUM_FETCH_WAIT_MS
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_duration
from kafka_topology.topology.model.words import counted
from kafka_topology.validators.engine.helpers import cluster_name, related
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.brokers import pair_problem

DOCS = """\
# KT712: broker-settings-contradict

Brokers start with the settings under `cluster.defaults`, and then work against themselves.

If `group.min.session.timeout.ms` is above `group.max.session.timeout.ms`, no timeout is allowed, and no consumer of the
classic protocol can join a group. A broker that sends fewer than three heartbeats in `broker.session.timeout.ms` is
fenced when one of them is late. A controller asks for new metadata and waits up to 500 ms for it: with a
`controller.quorum.fetch.timeout.ms` of less than twice that, it starts elections while the leader is healthy. And if
`min.insync.replicas` is not below `default.replication.factor`, one lost broker stops all writers of every topic that
is created without numbers of its own. KT706 is about Kafka's internal topics, and reports a value that is too large for
those, too; KT711 is about settings that brokers refuse.

Fix: Change one of the settings as the message describes it, on the brokers and in the file.
"""

FETCH_TIMEOUT = "controller.quorum.fetch.timeout.ms"
REPLICATION, OFFSETS = "default.replication.factor", "offsets.topic.replication.factor"
MIN_ISR = "min.insync.replicas"


def check(context: Context) -> Iterator[Problem]:
    if not context.topology.cluster.defaults:
        return
    for pair in HARMFUL:
        yield from pair_problem(context, pair, f"so {pair.effect}")
    yield from _elections(context)
    yield from _new_topics(context)


def _elections(context: Context) -> Iterator[Problem]:
    name, least = cluster_name(context.topology), 2 * QUORUM_FETCH_WAIT_MS
    timeout = context.settings.broker(FETCH_TIMEOUT)
    if timeout is None or not timeout.is_declared or timeout.number is None or timeout.number >= least:
        return
    yield Problem(
        f"{name}: {FETCH_TIMEOUT} is {format_duration(timeout.number)}, and a fetch waits up to"
        f" {QUORUM_FETCH_WAIT_MS} ms, so controllers start needless elections; expected at least"
        f" {format_duration(least)}",
        timeout.place.location,
        name,
        f"remove {FETCH_TIMEOUT} (Kafka's default is 2s), or raise it",
    )


def _new_topics(context: Context) -> Iterator[Problem]:
    name = cluster_name(context.topology)
    replication, min_isr = context.settings.broker(REPLICATION), context.settings.broker(MIN_ISR)
    if replication is None or min_isr is None or not (replication.is_declared and min_isr.is_declared):
        return  # a topic with one replica is another matter
    copies, number = replication.number, min_isr.number
    offsets = context.settings.broker(OFFSETS)
    if copies is None or number is None or copies < 2 or number < copies:
        return
    if offsets is not None and number >= (offsets.number or 0):
        return  # KT706 reports it
    yield Problem(
        f"{name}: {MIN_ISR} is {number}, and a topic without numbers of its own has {counted(copies, 'replica')}, so"
        f" one lost broker stops its writers; expected at most {copies - 1}",
        min_isr.place.location,
        name,
        f"set {REPLICATION} to {number + 1}, or lower {MIN_ISR}",
        related(replication, "the replicas of such a topic"),
    )


DEFAULTS = "version: 1\ncluster:\n  defaults: {%s}\n"

GOOD = (
    DEFAULTS % "group.min.session.timeout.ms: 10s, group.max.session.timeout.ms: 5m",
    DEFAULTS % "broker.session.timeout.ms: 18s, broker.heartbeat.interval.ms: 3s",
    DEFAULTS % "default.replication.factor: 3, min.insync.replicas: 2",
)
BAD = (
    Bad(DEFAULTS % "group.max.session.timeout.ms: 5s", line=3, column=44),
    Bad(DEFAULTS % "group.min.session.timeout.ms: 1h", line=3, column=44),
    Bad(DEFAULTS % "broker.heartbeat.interval.ms: 5s", line=3, column=44),
    Bad(DEFAULTS % "controller.quorum.fetch.timeout.ms: 500ms", line=3, column=50),
    Bad(DEFAULTS % "default.replication.factor: 2, min.insync.replicas: 2", line=3, column=66),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R1", "R3", "R23"))
