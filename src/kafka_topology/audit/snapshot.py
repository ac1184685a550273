"""What an audit saw of a cluster at one moment. A failure says what could not be read, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from ..cluster.live.access import Acl
from ..cluster.live.groups import LiveGroup
from ..cluster.live.quotas import Entity
from ..cluster.live.topics import LiveTopic
from ..cluster.outcomes import Outcome

T = TypeVar("T")
Asked: TypeAlias = Outcome[T] | None
"""None: not read, because nothing is declared to compare it with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """`topics` and `groups` hold the declared ones; the names cover everything that the principal can see."""

    brokers: Outcome[Mapping[int, str | None]]  # the rack of each
    topics: Mapping[str, Outcome[LiveTopic]] = field(default_factory=dict)
    topic_names: Asked[frozenset[str]] = None
    groups: Mapping[str, Outcome[LiveGroup]] = field(default_factory=dict)
    group_names: Asked[frozenset[str]] = None
    acls: Asked[frozenset[Acl]] = None
    users: Asked[Mapping[str, Outcome[Mapping[str, int]]]] = None  # iterations by mechanism
    quotas: Asked[Mapping[Entity, Mapping[str, float]]] = None
    broker_configs: Mapping[int, Outcome[Mapping[str, str]]] = field(default_factory=dict)
    controllers: Asked[int] = None
