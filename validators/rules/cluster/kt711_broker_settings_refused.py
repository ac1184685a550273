from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.broker_pairs import LEAST, REFUSED, TIERED
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import kafka_true
from kafka_topology.validators.engine.helpers import cluster_name
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.brokers import inherited, pair_problem

DOCS = """\
# KT711: broker-settings-refused

A broker does not start with the settings under `cluster.defaults`.

Kafka compares some settings of a broker when it starts, and stops if two contradict each other: a follower must fetch
within `replica.lag.time.max.ms`, the default session of a group must lie within its bounds and last longer than one
heartbeat, and a record cannot stay on local disks for longer than in the topic. The other one of a pair is often
Kafka's default, which the message names. After a rolling change of the configuration, the first broker that restarts
does not come back.

Fix: Change one of the two settings as the message describes it, on the brokers and in the file.
"""

_LOCAL = (("local.retention.ms", "retention.ms"), ("local.retention.bytes", "retention.bytes"))
_AS_RETENTION = -2
PER_ADDRESS = "max.connections.per.ip"
PROTOCOLS = "group.coordinator.rebalance.protocols"


def check(context: Context) -> Iterator[Problem]:
    if not context.topology.cluster.defaults:
        return
    for pair in REFUSED:
        yield from pair_problem(context, pair, "so a broker does not start")
    yield from _too_small(context)
    yield from _without_classic(context)
    yield from _no_connections(context)
    tiered = context.settings.broker(TIERED)
    if tiered is not None and kafka_true(tiered.value):
        for local, whole in _LOCAL:
            yield from _kept_locally(context, local, whole)


def _too_small(context: Context) -> Iterator[Problem]:
    name, cluster = cluster_name(context.topology), context.topology.cluster
    for key, least, may_be_negative in LEAST:
        setting = context.settings.broker(key) if key in cluster.defaults else None
        if setting is None or setting.number is None or setting.number >= least:
            continue
        if may_be_negative and setting.number < 0:
            continue
        expected = f"{least} or more{', or -1 for no limit' if may_be_negative else ''}"
        yield Problem(
            f"{name}: {key} is {setting.number}, so a broker does not start; expected {expected}",
            setting.place.location,
            name,
            f"set {key} to {expected}",
        )


def _without_classic(context: Context) -> Iterator[Problem]:
    name, protocols = cluster_name(context.topology), context.settings.broker(PROTOCOLS)
    if protocols is not None and "classic" not in protocols.items:
        yield Problem(
            f"{name}: {PROTOCOLS} is {protocols.value}, and a broker does not start without classic; expected classic"
            " among them",
            protocols.place.location,
            name,
            f"add classic to {PROTOCOLS}",
        )


def _no_connections(context: Context) -> Iterator[Problem]:
    name, cluster = cluster_name(context.topology), context.topology.cluster
    most = context.settings.broker(PER_ADDRESS)
    if most is not None and most.number == 0 and not cluster.defaults.get(f"{PER_ADDRESS}.overrides", "").strip():
        yield Problem(
            f"{name}: {PER_ADDRESS} is 0, and no {PER_ADDRESS}.overrides allows an address, so a broker does not start;"
            " expected 1 or more",
            most.place.location,
            name,
            f"set {PER_ADDRESS} to 1 or more, or name the addresses in {PER_ADDRESS}.overrides",
        )


def _kept_locally(context: Context, local: str, whole: str) -> Iterator[Problem]:
    """With tiered storage, local disks must not keep more than the topic does."""
    name = cluster_name(context.topology)
    kept, limit = inherited(context, local), inherited(context, whole)
    if kept is None or limit is None or kept.number == _AS_RETENTION or limit.number < 0:
        return
    if 0 <= kept.number <= limit.number:
        return
    at = kept if kept.place is not None else limit
    if at.place is None:
        return
    yield Problem(
        f"{name}: {kept.name} is {kept.shown}, above {limit.name} of {limit.shown}, so a broker with tiered storage"
        " does not start; expected at most that",
        at.place,
        name,
        f"lower {kept.name}, or raise {limit.name}",
    )


DEFAULTS = "version: 1\ncluster:\n  defaults: {%s}\n"

GOOD = (
    DEFAULTS % "replica.lag.time.max.ms: 10s",
    DEFAULTS % "group.consumer.session.timeout.ms: 50s",
    DEFAULTS % "queued.max.request.bytes: -1",
    DEFAULTS % 'max.connections.per.ip: 0, max.connections.per.ip.overrides: "10.0.0.1:5"',
    DEFAULTS % "log.retention.hours: -1",
    DEFAULTS % "log.local.retention.ms: 1d, log.retention.hours: 48, remote.log.storage.system.enable: true",
    DEFAULTS % "log.local.retention.ms: 3d, log.retention.hours: 48",
)
BAD = (
    Bad(DEFAULTS % "replica.lag.time.max.ms: 400ms", line=3, column=39),
    Bad(DEFAULTS % "replica.fetch.wait.max.ms: 40s, replica.lag.time.max.ms: 1m", line=3, column=41),
    Bad(DEFAULTS % "group.consumer.session.timeout.ms: 10s", line=3, column=49),
    Bad(DEFAULTS % "queued.max.request.bytes: 1MiB", line=3, column=40),
    Bad(DEFAULTS % "connections.max.idle.ms: 100ms", line=3, column=39),
    Bad(DEFAULTS % "log.cleaner.threads: 128", line=3, column=35),
    Bad(DEFAULTS % "log.retention.hours: 0", line=3, column=35),
    Bad(DEFAULTS % "log.roll.ms: 0", line=3, column=27),
    Bad(DEFAULTS % "max.connections.per.ip: 0", line=3, column=38),
    Bad(DEFAULTS % "group.coordinator.rebalance.protocols: consumer", line=3, column=53),
    Bad(
        DEFAULTS % "log.local.retention.ms: 3d, log.retention.hours: 48, remote.log.storage.system.enable: true",
        line=3,
        column=38,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R3", "R23"))
