"""The inputs of `ConsumerGroup`: checks them in the preview, parses them, and compares two versions."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, cast, get_args

from kafka_topology.cluster.live.groups import Position
from kafka_topology.provider.plugin.properties import UNKNOWN, has_unknown, reveal, rewrap
from kafka_topology.topology.model.declared import Deletion

from ..changes import Checked, CheckFailure, PropertyChange, change_between, unknown_inputs
from ..input_checks import (
    config_as_text,
    config_changes,
    plain,
    why_not_owned,
    wrong_choice,
    wrong_config,
    wrong_type,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kafka_topology.provider.plugin.properties import Properties, Value

INPUTS: Final = ("name", "topics", "assign", "start", "reset", "config", "maxLag", "deletion")
OUTPUTS: Final = (*INPUTS, "state", "members", "lag", "offsets", "undeclared")
_RESET: Final = ("to", "token")
# The cluster does not know these, so an import cannot set them: declaring them for the first time is no change.
_UNKNOWN_TO_KAFKA: Final = ("start", "maxLag")


@dataclass(frozen=True, slots=True)
class Reset:
    """Moves offsets once for each new token."""

    to: Position
    token: str


@dataclass(frozen=True, slots=True)
class DeclaredGroup:
    """`reads` has the partitions of each topic; None means all partitions."""

    name: str
    reads: Mapping[str, tuple[int, ...] | None] = field(default_factory=dict)
    start: Position | None = None
    reset: Reset | None = None
    config: Mapping[str, str] = field(default_factory=dict)
    max_lag: int | None = None
    deletion: Deletion = "protected"


def position(text: str) -> Position | None:
    """`earliest`, `latest`, or a time; None for anything else."""
    if text == "earliest":
        return "earliest"
    if text == "latest":
        return "latest"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def parse(inputs: Properties) -> DeclaredGroup:
    """Parses inputs that `check` has accepted and that have no unknown values."""
    values = cast("dict[str, object]", reveal(dict(inputs)))
    topics = cast("list[str]", values.get("topics") or [])
    assign = cast("dict[str, list[int]]", values.get("assign") or {})
    start = values.get("start")
    return DeclaredGroup(
        name=str(values["name"]),
        reads=dict.fromkeys(topics) | {topic: tuple(partitions) for topic, partitions in assign.items()},
        start=position(str(start)) if start is not None else None,
        reset=parse_reset(inputs),
        config=cast("dict[str, str]", values.get("config") or {}),
        max_lag=cast("int | None", values.get("maxLag")),
        deletion=cast("Deletion", values.get("deletion") or "protected"),
    )


def parse_reset(inputs: Properties) -> Reset | None:
    reset = plain(inputs, "reset")
    if not isinstance(reset, dict):
        return None
    to = position(str(reset.get("to")))
    return Reset(to, str(reset.get("token"))) if to is not None else None


def check(resource_name: str, old: Properties, new: Properties, owned: tuple[str, ...] | None) -> Checked:
    inputs = {key: value for key, value in new.items() if reveal(value) is not None}
    inputs.setdefault("name", resource_name)
    inputs.setdefault("deletion", "protected")
    if "config" in inputs:
        inputs["config"] = rewrap(inputs["config"], config_as_text)
    failures = (
        *unknown_inputs(inputs, INPUTS),
        *_wrong_values(inputs),
        *_outside(inputs, owned),
        *_impossible_changes(old, inputs),
    )
    return Checked(inputs, failures)


def diff(old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
    changes: list[PropertyChange] = []
    for name in ("name", "deletion", "reset", "assign"):
        changes += change_between(name, plain(old, name), plain(new, name))
    changes += change_between("topics", _sorted(plain(old, "topics")), _sorted(plain(new, "topics")))
    for name in _UNKNOWN_TO_KAFKA:
        if plain(old, name) is not None:
            changes += change_between(name, _moment(plain(old, name)), _moment(plain(new, name)))
    changes += config_changes("group", plain(old, "config"), plain(new, "config"))
    return tuple(changes)


def why_outside(name: str, owned: tuple[str, ...] | None) -> str | None:
    """Why a group of this name must never be changed, or None if it may be."""
    return why_not_owned(f"group '{name}'", name, owned)


def _sorted(value: Value) -> object:
    return sorted(map(str, value)) if isinstance(value, list) else value


def _moment(value: Value) -> object:
    return (position(value) or value) if isinstance(value, str) else value


def _wrong_values(inputs: Properties) -> Iterator[CheckFailure]:
    name = plain(inputs, "name")
    if name is not UNKNOWN and not (isinstance(name, str) and name):
        yield CheckFailure("name", f"{name!r} is not the name of a group: give a text that is not empty.")
    yield from _wrong_topics(plain(inputs, "topics"))
    yield from _wrong_assign(plain(inputs, "assign"))
    yield from _wrong_position("start", plain(inputs, "start"))
    yield from _wrong_reset(plain(inputs, "reset"))
    yield from wrong_config(inputs)
    yield from wrong_choice("deletion", inputs, get_args(Deletion))
    lag = plain(inputs, "maxLag")
    if lag is not None and lag is not UNKNOWN and (isinstance(lag, bool) or not isinstance(lag, int) or lag < 0):
        yield CheckFailure("maxLag", f"{lag!r} is not a whole number of at least 0.")


def _wrong_topics(topics: Value) -> Iterator[CheckFailure]:
    if topics is None or topics is UNKNOWN:
        return
    if not isinstance(topics, list) or not all(t is UNKNOWN or isinstance(t, str) for t in topics):
        yield CheckFailure("topics", f"{topics!r} is not a list of topic names.")


def _wrong_assign(assign: Value) -> Iterator[CheckFailure]:
    yield from wrong_type("assign", assign, dict, f"{assign!r} is not a map of topics to lists of partitions.")
    for topic, partitions in assign.items() if isinstance(assign, dict) else ():
        listed = isinstance(partitions, list) and all(isinstance(p, int) and p >= 0 for p in partitions)
        if partitions is not UNKNOWN and not listed:
            yield CheckFailure(f'assign["{topic}"]', f"{partitions!r} is not a list of partitions.")


def _wrong_position(name: str, value: Value) -> Iterator[CheckFailure]:
    if value is None or value is UNKNOWN:
        return
    if not isinstance(value, str) or position(value) is None:
        yield CheckFailure(name, f"{value!r} is none of earliest, latest and a moment such as 2026-05-01T00:00:00Z.")


def _wrong_reset(reset: Value) -> Iterator[CheckFailure]:
    if reset is None or reset is UNKNOWN:
        return
    if not isinstance(reset, dict) or set(reset) != set(_RESET):
        yield CheckFailure(
            "reset",
            "a reset has 'to' (earliest, latest or a moment) and 'token' (any text: a new one moves the offsets).",
        )
        return
    yield from _wrong_position("reset.to", reset["to"])
    if reset["token"] is not UNKNOWN and not (isinstance(reset["token"], str) and reset["token"]):
        yield CheckFailure("reset.token", f"{reset['token']!r} is not a text: give any, such as a ticket's number.")


def _outside(inputs: Properties, owned: tuple[str, ...] | None) -> Iterator[CheckFailure]:
    name = plain(inputs, "name")
    reason = why_outside(name, owned) if isinstance(name, str) else None
    if reason is not None:
        yield CheckFailure("name", reason)


def _impossible_changes(old: Properties, new: Properties) -> Iterator[CheckFailure]:
    if not old or has_unknown(dict(old)):
        return
    before, after = plain(old, "name"), plain(new, "name")
    if before is not None and after is not UNKNOWN and before != after:
        yield CheckFailure(
            "name",
            f"group '{before}' cannot be renamed to '{after}': its offsets belong to its name. Declare the new "
            "group beside the old one, with the start it needs, and remove the old one later.",
        )
    was, wanted = parse_reset(old), parse_reset(new)
    if was and wanted and was.token == wanted.token and was.to != wanted.to:
        yield CheckFailure(
            "reset.token",
            f"group '{before}': the reset's target changed and its token '{wanted.token}' did not: offsets move only "
            "for a new token. Change the token too, or put the target back.",
        )
