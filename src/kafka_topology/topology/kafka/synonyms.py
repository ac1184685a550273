"""Broker settings with several names, such as log.retention.ms, .minutes and .hours: which of them is in force."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from .catalogue import VERSIONS, BrokerKey, catalogue

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class InForce:
    """`name` is the setting that decides, `value` what it says in the unit of the first of its names."""

    name: str
    value: str | None


def in_force(settings: Mapping[str, str], key: str) -> InForce:
    """What these settings of a broker say about `key`, by whichever of its names."""
    for synonym in synonyms(key):
        value = settings.get(synonym.name)
        if value is not None:
            return InForce(synonym.name, _in_first_unit(synonym, value))
    return InForce(key, None)


@cache
def synonyms(key: str) -> tuple[BrokerKey, ...]:
    """All names of a broker setting, the one that wins first; itself alone if it has only one.

    They differ in the unit only. What a topic falls back to may also be a setting of its own, such as
    log.flush.scheduler.interval.ms, which is no other name of log.flush.interval.ms.
    """
    for version in reversed(VERSIONS):
        for topic in catalogue(version).topic.values():
            alike = tuple(each for each in topic.broker_keys if _without_unit(each.name) == _without_unit(key))
            if key in (each.name for each in alike):
                return alike
    return (BrokerKey(key),)


def _without_unit(name: str) -> str:
    return name.rpartition(".")[0]


def _in_first_unit(synonym: BrokerKey, value: str) -> str:
    try:
        return synonym.topic_value(value.strip())
    except ValueError:  # not a number: no broker has that, but a file may
        return value
