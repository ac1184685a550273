"""What the declared defaults of the brokers say together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kafka_topology.topology.kafka.broker_pairs import Pair
from kafka_topology.topology.kafka.quantities import quantity_of
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.places import Location
from kafka_topology.topology.model.units import kafka_integer

from ..engine.helpers import cluster_name, related, shown
from ..engine.rule import Context, Problem


@dataclass(frozen=True, slots=True)
class Inherited:
    """What a topic gets from the brokers. `place` is None if it is Kafka's default."""

    name: str
    number: int
    shown: str
    place: Location | None


def inherited(context: Context, key: str) -> Inherited | None:
    """A setting of topics as the brokers set it, by whichever of their names, in the topic's unit."""
    known, cluster = context.settings.catalogue.topic.get(key), context.topology.cluster
    if known is None:
        return None
    for broker_key in known.broker_keys:
        declared = cluster.defaults.get(broker_key.name)
        if declared is not None and kafka_integer(declared) is not None:
            number = kafka_integer(broker_key.topic_value(declared))
            if number is not None:
                place = cluster.place("defaults", broker_key.name).location
                return Inherited(broker_key.name, number, _shown(key, number), place)
    number = kafka_integer(known.default or "")
    return None if number is None else Inherited(key, number, f"{_shown(key, number)} (Kafka's default)", None)


def _shown(key: str, number: int) -> str:
    quantity = quantity_of(key)
    return str(number) if quantity is None or number < 0 else quantity.format(number)


def pair_problem(context: Context, pair: Pair, effect: str) -> Iterator[Problem]:
    """A problem if the two contradict each other, and the file declares one of them."""
    setting, least = context.settings.broker(pair.name), context.settings.broker(pair.least)
    if setting is None or least is None or not (setting.is_declared or least.is_declared):
        return
    if setting.number is None or least.number is None or pair.holds(setting.number, least.number):
        return
    name = cluster_name(context.topology)
    at, other = (setting, least) if setting.is_declared else (least, setting)
    smallest = _shown(pair.name, pair.smallest(least.number))
    yield Problem(
        f"{name}: {pair.name} is {shown(setting)} with {pair.least} of {shown(least)}, {effect}; expected at least"
        f" {smallest}",
        at.place.location,
        name,
        f"set {pair.name} to {smallest} or more, or lower {pair.least}",
        related(other, f"{other.name} is set here"),
        severity=Severity.ERROR if pair.stops else None,
    )
