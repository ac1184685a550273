"""Which quota limits a client: Kafka takes the closest one that sets the limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ..cluster.live.quotas import DEFAULT, Entity
from ..topology.kafka.clients.libraries import given

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..topology.model.declared import Topology

_USER: Final = "User:"
_SPECIFIC: Final = "specific"
# By user and client id, the closest first: the order of Kafka's DefaultQuotaCallback.
_CLOSEST: Final = (
    (_SPECIFIC, _SPECIFIC),
    (_SPECIFIC, DEFAULT),
    (_SPECIFIC, None),
    (DEFAULT, _SPECIFIC),
    (DEFAULT, DEFAULT),
    (DEFAULT, None),
    (None, _SPECIFIC),
    (None, DEFAULT),
)


@dataclass(frozen=True, slots=True)
class Client:
    """A declared client. The user and the client id are None if the files do not say them."""

    name: str
    user: str | None = None
    client_id: str | None = None


def clients_of(topology: Topology) -> Iterator[Client]:
    """Each role with each of its users, and the users without a role."""
    roles = [(each.name, each.principals, given(each).get("client.id")) for each in topology.producers.values()]
    roles += [(each.name, each.principals, given(each).get("client.id")) for each in topology.consumer_groups.values()]
    roles += [(each.name, each.principals, each.config.get("client.id")) for each in topology.share_groups.values()]
    roles += [(each.name, each.principals, None) for each in topology.streams.values()]
    named: set[str] = set()
    for name, principals, client_id in roles:
        users = [each.removeprefix(_USER) for each in principals]
        named.update(users)
        for user in users or (None,):
            yield Client(name, user, client_id)
    for user in topology.users:
        if user not in named:
            yield Client(user, user)


def may_reach(entity: Entity, client: Client, limit: str, quotas: Mapping[Entity, Mapping[str, float]]) -> bool:
    """Whether this quota may be the one that sets the limit of the client."""
    if not all(_may_be(*pair) for pair in _parts(entity, client)):
        return False
    closer = (other for other, limits in quotas.items() if limit in limits and _rank(other) < _rank(entity))
    return not any(all(_is(*pair) for pair in _parts(other, client)) for other in closer)


def _parts(entity: Entity, client: Client) -> tuple[tuple[str | None, str | None], tuple[str | None, str | None]]:
    return (entity.user, client.user), (entity.client_id, client.client_id)


def _is(limited: str | None, known: str | None) -> bool:
    return limited in (None, DEFAULT, known)


def _may_be(limited: str | None, known: str | None) -> bool:
    return known is None or _is(limited, known)


def _rank(entity: Entity) -> int:
    kinds = (each if each in (None, DEFAULT) else _SPECIFIC for each in (entity.user, entity.client_id))
    return _CLOSEST.index(tuple(kinds)) if entity != Entity() else len(_CLOSEST)
