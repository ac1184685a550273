"""What was seen of a cluster at one moment. A failure says that something could not be seen, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from ..acls import Acl
from ..group_plan import LiveGroup
from ..outcomes import Outcome
from ..quotas import Entity
from ..topic_plan import LiveTopic

T = TypeVar("T")
Asked: TypeAlias = Outcome[T] | None
"""None: it was not asked, because nothing is declared that it could be compared with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """`topics` and `groups` are the declared ones; the names are those of all that can be seen."""

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
