"""The producer and the consumers inside a Kafka Streams application: which settings reach them, and which it overrides.

From StreamsConfig of Kafka 3.7 to 4.2, tried with the constructors of 4.1 and 4.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from ...model.declared import StreamsApplication
from ..catalogue import VERSIONS, catalogue
from .libraries import Side
from .libraries.java import STREAMS
from .model import Property
from .promises import is_exactly_once, writes_in_transactions
from .settling import settle

# A client takes the first of these that an application sets.
PREFIXES: Final[Mapping[Side, tuple[str, ...]]] = {
    "producer": ("producer.", ""),
    "consumer": ("main.consumer.", "consumer.", ""),
}
PROTOCOL, INSTANCE = "group.protocol", "group.instance.id"

# What Kafka Streams uses instead of any setting: always, and with exactly-once.
_FORCED: Mapping[Side, Mapping[str, str]] = {
    "producer": {},
    "consumer": {"enable.auto.commit": "false", "allow.auto.create.topics": "false"},
}
_FORCED_EXACTLY_ONCE: Mapping[Side, Mapping[str, str]] = {
    "producer": {"enable.idempotence": "true"},
    "consumer": {"isolation.level": "read_committed"},
}
# With the streams protocol, nobody reads the settings of the assignor inside the application.
_OF_ASSIGNOR = (
    "acceptable.recovery.lag",
    "max.warmup.replicas",
    "probing.rebalance.interval.ms",
    "rack.aware.assignment.non_overlap_cost",
    "rack.aware.assignment.strategy",
    "rack.aware.assignment.tags",
    "rack.aware.assignment.traffic_cost",
    "task.assignor.class",
)
_OF_BROKERS = ("session.timeout.ms", "heartbeat.interval.ms")
_ASSIGNED_BY_BROKERS = "the brokers assign its tasks"
_STANDBY = "num.standby.replicas"
_RESTORE_START = "restore.consumer.auto.offset.reset"


@dataclass(frozen=True, slots=True)
class Ignored:
    """A declared setting without effect. `instead` is the value in force; `of_group` the setting of the group."""

    name: str
    why: str
    instead: str | None = None
    of_group: str | None = None


def has_streams_protocol(application: StreamsApplication) -> bool:
    return application.config.get(PROTOCOL, "").lower() == "streams"


def forced(side: Side, *, exactly_once: bool) -> Mapping[str, str]:
    return {**_FORCED[side], **(_FORCED_EXACTLY_ONCE[side] if exactly_once else {})}


def defaults(side: Side, *, exactly_once: bool) -> Mapping[str, str]:
    """Where they differ from those of the Java client."""
    of_transactions = STREAMS.when_transactional if exactly_once and side == "producer" else {}
    return {**STREAMS.fixed[side], **of_transactions}


def set_as(config: Mapping[str, str], side: Side, name: str) -> str | None:
    """The name under which an application sets a setting of its client; None if it does not."""
    return next((prefix + name for prefix in PREFIXES[side] if prefix + name in config), None)


def names_of(config: Mapping[str, str], side: Side, name: str) -> Iterator[str]:
    """All names under which an application sets it, those without effect, too."""
    yield from (prefix + name for prefix in PREFIXES[side] if prefix + name in config)


def refused_members(application: StreamsApplication) -> tuple[str, ...]:
    """Names of static members: with the streams protocol, the application does not start."""
    if not has_streams_protocol(application):
        return ()
    return tuple(names_of(application.config, "consumer", INSTANCE))


def _is_refused_protocol(config: Mapping[str, str], own: str) -> bool:
    """The consumer refuses the assignor that Kafka Streams gives it."""
    return own != PROTOCOL and config[own].strip().lower() == "consumer"


def refused_protocols(application: StreamsApplication) -> tuple[str, ...]:
    """Names of the protocol with a prefix, with which the application does not start."""
    config = application.config
    return tuple(own for own in names_of(config, "consumer", PROTOCOL) if _is_refused_protocol(config, own))


def ignored(application: StreamsApplication) -> Iterator[Ignored]:
    """The declared settings that Kafka Streams overrides or does not read, unless they say what it does anyway."""
    config, exactly_once = application.config, writes_in_transactions(application)
    for side in PREFIXES:
        yield from _overridden(config, side, exactly_once=exactly_once)
    if exactly_once:
        for own in names_of(config, "producer", "transactional.id"):
            yield Ignored(own, "with exactly-once Kafka Streams makes its own ids")
    yield from _of_membership(application)
    if config.get(_RESTORE_START, "none").strip().lower() != "none":
        yield Ignored(_RESTORE_START, "it is always none", "none")
    if has_streams_protocol(application):
        yield from _by_protocol(config)


def _of_membership(application: StreamsApplication) -> Iterator[Ignored]:
    config = application.config
    for own in names_of(config, "consumer", "partition.assignment.strategy"):
        yield Ignored(own, "Kafka Streams assigns its tasks itself")
    for own in names_of(config, "consumer", "group.id"):
        if config[own] != application.application_id:
            yield Ignored(own, "its group is always the application id", application.application_id)
    for own in names_of(config, "consumer", PROTOCOL):
        if own != PROTOCOL and not _is_refused_protocol(config, own):
            yield Ignored(own, f"only {PROTOCOL} without a prefix chooses the protocol")


def _overridden(config: Mapping[str, str], side: Side, *, exactly_once: bool) -> Iterator[Ignored]:
    for name, value in forced(side, exactly_once=exactly_once).items():
        why = "it is always" if name in _FORCED[side] else "with exactly-once it is"
        for own in names_of(config, side, name):
            if config[own].strip().lower() != value:
                yield Ignored(own, f"{why} {value}", value)


def _by_protocol(config: Mapping[str, str]) -> Iterator[Ignored]:
    for name in _OF_BROKERS:
        for own in names_of(config, "consumer", name):
            yield Ignored(own, "with the streams protocol the brokers decide it", of_group=f"streams.{name}")
    if config.get(_STANDBY, "0").strip() != "0":
        yield Ignored(
            _STANDBY, "with the streams protocol it is a setting of the group", of_group=f"streams.{_STANDBY}"
        )
    for name in _OF_ASSIGNOR:
        if name in config:
            yield Ignored(name, f"with the streams protocol {_ASSIGNED_BY_BROKERS}")


def settle_clients(found: dict[str, Property], notes: list[str]) -> None:
    """Changes settings with which a client inside the application does not start. `found` is by Streams' names."""
    guarantee = found.get("processing.guarantee")
    exactly_once = guarantee is not None and is_exactly_once(guarantee.value)
    given = {name: item.value for name, item in found.items()}
    for side in PREFIXES:
        keys = catalogue(VERSIONS[-1]).scope(side)
        names = {key: own for key in keys if key != PROTOCOL and (own := set_as(given, side, key)) is not None}
        view = {key: replace(found[own], name=key) for key, own in names.items()}
        if side == "producer" and exactly_once:
            view["transactional.id"] = Property("transactional.id", "its own", "exactly once")
        before = dict(view)
        settle(STREAMS, side, view, notes, names)
        for key in before.keys() - view.keys():
            del found[names[key]]
        for key, item in view.items():
            if before.get(key) != item:
                own = names.get(key, f"{side}.{key}")
                found[own] = replace(item, name=own)
