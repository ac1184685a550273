"""The quotas of a real cluster, by kafka-python's protocol messages: librdkafka has none for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kafka.protocol.admin import AlterClientQuotasRequest, DescribeClientQuotasRequest

from ..live.quotas import DEFAULT, Entity, QuotaChange
from ..outcomes import Failure, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..connecting.second_client import SecondClient

_USER: Final = "user"
_CLIENT: Final = "client-id"


class QuotaCalls:
    def __init__(self, client: SecondClient) -> None:
        self._client = client

    def describe_quotas(self) -> Outcome[dict[Entity, dict[str, float]]]:
        entries = self._entries()
        if isinstance(entries, Failure):
            return entries
        return {
            entity: {value.key: value.value for value in entry.values}
            for entry in entries
            if (entity := _entity(entry.entity)) is not None
        }

    def other_quotas(self) -> Outcome[dict[str, dict[str, float]]]:
        """Quotas that no file can declare, by entity: those of addresses, such as `ip=10.0.0.1`, and those of a user or
        client with the name `default`, which means everyone in a file: `user='default'`.
        """
        entries = self._entries()
        if isinstance(entries, Failure):
            return entries
        return {
            ",".join(f"{part.entity_type}={_shown(part.entity_name)}" for part in entry.entity): {
                value.key: value.value for value in entry.values
            }
            for entry in entries
            if _entity(entry.entity) is None
        }

    def _entries(self) -> Outcome[list[Any]]:
        what = "reading the quotas"
        response = self._client.send(what, DescribeClientQuotasRequest(components=[], strict=False))
        if isinstance(response, Failure):
            return response
        failure = self._client.failed(what, response.error_code, response.error_message)
        return failure if failure is not None else list(response.entries or ())

    def alter_quotas(self, changes: Mapping[Entity, QuotaChange]) -> dict[Entity, Outcome[None]]:
        data = AlterClientQuotasRequest.EntryData
        request = AlterClientQuotasRequest(
            entries=[
                data(
                    entity=[data.EntityData(entity_type=k, entity_name=n) for k, n in _parts(entity)],
                    ops=[
                        *(data.OpData(key=key, value=value, remove=False) for key, value in change.set.items()),
                        *(data.OpData(key=key, value=0.0, remove=True) for key in sorted(change.removed)),
                    ],
                )
                for entity, change in changes.items()
            ],
            validate_only=False,
        )
        response = self._client.send("changing quotas", request)
        if isinstance(response, Failure):
            return dict.fromkeys(changes, response)
        outcomes: dict[Entity, Outcome[None]] = {}
        for entry in response.entries:
            entity = _entity(entry.entity)
            if entity is not None:
                what = f"changing {entity}"
                outcomes[entity] = self._client.failed(what, entry.error_code, entry.error_message)
        return outcomes


def _parts(entity: Entity) -> list[tuple[str, str | None]]:
    named = ((_USER, entity.user), (_CLIENT, entity.client_id))
    return [(kind, None if name == DEFAULT else name) for kind, name in named if name is not None]


def _entity(parts: Iterable[Any]) -> Entity | None:
    """None for a quota that no file can declare: of an address, or of a user or client named `default`."""
    names = {part.entity_type: part.entity_name for part in parts}
    if not names or names.keys() - {_USER, _CLIENT} or DEFAULT in names.values():
        return None
    shown = {kind: DEFAULT if name is None else name for kind, name in names.items()}
    return Entity(shown.get(_USER), shown.get(_CLIENT))


def _shown(name: str | None) -> str:
    return DEFAULT if name is None else repr(name) if name == DEFAULT else name
