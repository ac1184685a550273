"""The items of a topology: the same resources that a program would register one by one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from kafka_topology.provider.plugin.properties import UNKNOWN, Value, as_secret, has_unknown, reveal

from ..descriptor import installed_kinds, token_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafka_topology.provider.plugin.properties import Properties

    from ..descriptor import Desired

TOPOLOGY: Final = token_of("Topology")
Key: TypeAlias = tuple[str, str]
"""The type of an item and its name in Pulumi."""


@dataclass(frozen=True, slots=True)
class Item:
    """`after` has the topics that must exist first. `secrets` are the inputs whose values are secrets."""

    key: Key
    inputs: Properties
    after: tuple[str, ...] = ()
    secrets: Mapping[str, str] | None = None


def item_of(desired: Desired, secrets: Mapping[str, Value]) -> Item:
    inputs: dict[str, Value] = {name: _value(value) for name, value in desired.inputs.items()}
    for name, key in desired.secrets.items():
        if key in secrets:
            inputs[name] = as_secret(secrets[key])
    return Item((token_of(desired.kind), desired.name), inputs, desired.after, desired.secrets)


def digest_of(items: Iterable[Item]) -> str:
    """The same for the same items, whatever the files look like. Passwords are left out: they are inputs themselves."""
    written = sorted(
        [*item.key, {name: _plain(name, value, item.secrets or {}) for name, value in item.inputs.items()}]
        for item in items
    )
    return _hash(written)


def drifted_digest(before: object, found: Mapping[Key, object]) -> str:
    """A digest that no declaration has, so the next run compares every item."""
    return _hash([before, sorted([*key, value] for key, value in found.items())])


def item_urn(owner: str, key: Key) -> str:
    """The URN that the engine gives to a view of this owner."""
    stack, project, qualified_type, _ = owner.split("::", 3)
    return f"{stack}::{project}::{qualified_type}${key[0]}::{key[1]}"


def stack_of(urn: str) -> str:
    """`dev` of `urn:pulumi:dev::project::type::name`."""
    return urn.partition("::")[0].rpartition(":")[2]


def order_of(token: str) -> int:
    """When an item of this type is applied: those that others depend on come first."""
    return next((kind.order for kind in installed_kinds().values() if kind.token == token), 0)


def _plain(name: str, value: Value, secrets: Mapping[str, str]) -> object:
    if name in secrets:
        return {"secret": secrets[name]}
    return "unknown" if value is UNKNOWN or has_unknown(value) else reveal(value)


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def _value(value: object) -> Value:
    if isinstance(value, Mapping):
        return {str(key): _value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_value(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def counts(keys: Iterable[Key]) -> dict[str, Value]:
    """How many items there are of each kind, by the kind's name."""
    found: dict[str, Value] = {}
    for token, _ in keys:
        kind = token.rpartition(":")[2]
        before = found.get(kind)
        found[kind] = (before if isinstance(before, int) else 0) + 1
    return dict(sorted(found.items()))
