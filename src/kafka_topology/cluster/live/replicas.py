"""Where replicas are, and how fast they may be copied."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from .topics import ConfigChange

if TYPE_CHECKING:
    from collections.abc import Mapping


Replicas: TypeAlias = tuple[int, ...]
Layout: TypeAlias = "Mapping[int, Replicas]"
RATES: Final = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")


@dataclass(frozen=True, slots=True)
class Throttles:
    """The throttles that are set now, by key: the replicas of each topic, and the rates in force on each broker."""

    topics: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    brokers: Mapping[int, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ThrottleChanges:
    topics: Mapping[str, ConfigChange] = field(default_factory=dict)
    brokers: Mapping[int, ConfigChange] = field(default_factory=dict)
