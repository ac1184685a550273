"""The inputs of `Topic`: checks them in the preview, parses them, and finds the changes between two versions.

Everything here is pure, and uses only the old and the new inputs. `plan` compares them with the cluster.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, cast, get_args

from kafka_topology.provider.plugin.properties import UNKNOWN, has_unknown, reveal, rewrap
from kafka_topology.topology.kafka.names import is_kafkas_own, is_legal_topic
from kafka_topology.topology.model.declared import Deletion, KeyType

from ..changes import Checked, CheckFailure, PropertyChange, change_between, unknown_inputs
from ..input_checks import config_as_text, config_changes, plain, why_not_owned, wrong_choice, wrong_config

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kafka_topology.provider.plugin.properties import Properties, Value

INPUTS: Final = ("name", "partitions", "replication", "config", "deletion", "keyType")
OUTPUTS: Final = (*INPUTS, "topicId", "undeclared")


@dataclass(frozen=True, slots=True)
class DeclaredTopic:
    """A topic as its inputs declare it. `key_type` is in the state only: Kafka does not know it."""

    name: str
    partitions: int
    replication: int
    config: Mapping[str, str] = field(default_factory=dict)
    deletion: Deletion = "protected"
    key_type: KeyType | None = None


def is_owned(name: str, prefixes: tuple[str, ...] | None) -> bool:
    return prefixes is None or name.startswith(prefixes)


def parse(inputs: Properties) -> DeclaredTopic:
    """Parses inputs that `check` has accepted and that have no unknown values."""
    plain = cast("dict[str, object]", reveal(dict(inputs)))
    return DeclaredTopic(
        name=str(plain["name"]),
        # A state of another version may not have them; nothing is applied from it.
        partitions=cast("int", plain.get("partitions") or 0),
        replication=cast("int", plain.get("replication") or 0),
        config=cast("dict[str, str]", plain.get("config") or {}),
        deletion=cast("Deletion", plain.get("deletion") or "protected"),
        key_type=cast("KeyType | None", plain.get("keyType")),
    )


def check(
    resource_name: str,
    old: Properties,
    new: Properties,
    owned: tuple[str, ...] | None,
) -> Checked:
    """Fills in defaults, and returns every reason why these inputs must not be applied."""
    inputs = _with_defaults(resource_name, new)
    failures = (
        *unknown_inputs(inputs, INPUTS),
        *_wrong_values(inputs),
        *_outside(reveal(inputs["name"]), owned),
        *_impossible_changes(old, inputs),
    )
    return Checked(inputs, failures)


def diff(old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
    """The changes from one set of inputs to the next, config key by config key."""
    changes: list[PropertyChange] = []
    for name in ("name", "partitions", "replication", "deletion"):
        changes += change_between(name, plain(old, name), plain(new, name))
    # The cluster does not know the type of keys, so an import cannot set it: declaring it for the
    # first time is no change to apply. The engine keeps the new inputs either way.
    if plain(old, "keyType") is not None:
        changes += change_between("keyType", plain(old, "keyType"), plain(new, "keyType"))
    changes += config_changes("topic", plain(old, "config"), plain(new, "config"))
    return tuple(changes)


def warnings(old: Properties, new: Properties) -> tuple[str, ...]:
    """Warnings for the person who reads the preview, about changes that are allowed."""
    before, after = plain(old, "partitions"), plain(new, "partitions")
    key_type = plain(new, "keyType")
    if not (isinstance(before, int) and isinstance(after, int) and after > before):
        return ()
    if key_type in (None, "none"):
        return ()
    moved = (
        f"topic '{plain(new, 'name')}' grows from {before} to {after} partitions and has keys: "
        "new records of a key may go to another partition than its old ones, so order per key is "
        "not kept across the change."
    )
    return (moved,)


def _with_defaults(resource_name: str, new: Properties) -> dict[str, Value]:
    inputs = {key: value for key, value in new.items() if reveal(value) is not None}
    inputs.setdefault("name", resource_name)
    inputs.setdefault("deletion", "protected")
    if "config" in inputs:
        inputs["config"] = rewrap(inputs["config"], config_as_text)
    return inputs


def _wrong_values(inputs: Properties) -> Iterator[CheckFailure]:
    name = plain(inputs, "name")
    if name is not UNKNOWN and not (isinstance(name, str) and is_legal_topic(name)):
        yield CheckFailure(
            "name",
            f"{name!r} is not a legal topic name: use 1 to 249 letters, digits, '.', '_' and '-'.",
        )
    for count in ("partitions", "replication"):
        yield from _wrong_count(count, inputs)
    yield from wrong_choice("deletion", inputs, get_args(Deletion))
    yield from wrong_choice("keyType", inputs, get_args(KeyType))
    yield from wrong_config(inputs)


def _wrong_count(count: str, inputs: Properties) -> Iterator[CheckFailure]:
    value = plain(inputs, count)
    if value is UNKNOWN:
        return
    if value is None:
        yield CheckFailure(count, f"'{count}' is missing: give a whole number of at least 1.")
    elif isinstance(value, bool) or not isinstance(value, int) or value < 1:
        yield CheckFailure(count, f"{value!r} is not a whole number of at least 1.")


def _outside(name: Value, owned: tuple[str, ...] | None) -> Iterator[CheckFailure]:
    if not isinstance(name, str):
        return
    reason = why_outside(name, owned)
    if reason is not None:
        yield CheckFailure("name", reason)


def why_outside(name: str, owned: tuple[str, ...] | None) -> str | None:
    """Why a topic of this name must never be changed, or None if it may be."""
    if is_kafkas_own(name):
        return f"topic '{name}' is Kafka's own and is never managed."
    return why_not_owned(f"topic '{name}'", name, owned)


def _impossible_changes(old: Properties, new: Properties) -> Iterator[CheckFailure]:
    if not old or has_unknown(dict(old)):
        return
    name = plain(old, "name")
    for rule in (_rename, _fewer_partitions, _other_key_type):
        yield from rule(f"topic '{name}'", old, new)


def _pair(name: str, old: Properties, new: Properties) -> tuple[Value, Value] | None:
    before, after = plain(old, name), plain(new, name)
    if before is None or after is None or after is UNKNOWN or before == after:
        return None
    return before, after


def _rename(topic: str, old: Properties, new: Properties) -> Iterator[CheckFailure]:
    if pair := _pair("name", old, new):
        yield CheckFailure(
            "name",
            f"{topic} cannot be renamed to '{pair[1]}': Kafka has no rename, and a new topic would "
            "be empty. Declare the new topic beside the old one, move producers, then consumers, "
            "then remove the old one.",
        )


def _fewer_partitions(topic: str, old: Properties, new: Properties) -> Iterator[CheckFailure]:
    pair = _pair("partitions", old, new)
    if pair and isinstance(pair[0], int) and isinstance(pair[1], int) and pair[1] < pair[0]:
        yield CheckFailure(
            "partitions",
            f"{topic} has {pair[0]} partitions and cannot shrink to {pair[1]}: Kafka cannot remove "
            f"partitions, and replacing the topic would lose its records. Declare {pair[0]} or "
            "more, or make a new topic and copy the records.",
        )


def _other_key_type(topic: str, old: Properties, new: Properties) -> Iterator[CheckFailure]:
    if pair := _pair("keyType", old, new):
        yield CheckFailure(
            "keyType",
            f"{topic} has keys of type {pair[0]} and cannot change to {pair[1]}: records with the "
            "same key would land in other partitions and compaction would keep both. Make a new "
            "topic for the new keys. If only the declaration was wrong, remove the key's type, "
            "apply, and then declare the right one.",
        )
