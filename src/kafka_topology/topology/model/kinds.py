"""The kinds of resources that files declare by name: one row each, for all who list them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .declared import Declared, Topology


@dataclass(frozen=True, slots=True)
class NamedKind:
    """`word` is the kind in findings and reviews, `title` what people call it, `section` where files declare it.

    `is_client`: it has a principal, an owner and settings of its own. `is_group`: its name is the id of a group.
    `is_principal`: its name is that of a principal.
    """

    word: str
    title: str
    section: str
    attribute: str
    is_client: bool = False
    is_group: bool = False
    is_principal: bool = False
    suppresses: bool = True  # whether it has `ignore:`

    def of(self, topology: Topology) -> Mapping[str, Declared]:
        named: Mapping[str, Declared] = getattr(topology, self.attribute)
        return named


NAMED_KINDS = (
    NamedKind("topic", "topic", "topics", "topics"),
    NamedKind("producer", "producer", "producers", "producers", is_client=True),
    NamedKind("group", "consumer group", "consumerGroups", "consumer_groups", is_client=True, is_group=True),
    NamedKind("shareGroup", "share group", "shareGroups", "share_groups", is_client=True, is_group=True),
    NamedKind("streams", "streams application", "streams", "streams", is_client=True, is_group=True),
    NamedKind("user", "user", "users", "users", is_principal=True, suppresses=False),
)
CLIENT_KINDS = tuple(kind for kind in NAMED_KINDS if kind.is_client)


def clients_of(topology: Topology) -> list[tuple[str, Any]]:
    """All producers, groups, share groups and streams applications with their names."""
    return [item for kind in CLIENT_KINDS for item in kind.of(topology).items()]
