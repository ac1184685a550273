"""The inputs that every type of group has: checks them in the preview, and parses positions and resets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, TypeAlias, get_args

from kafka_topology.cluster.live.groups import Position
from kafka_topology.provider.plugin.properties import UNKNOWN, Properties, has_unknown, reveal, rewrap
from kafka_topology.topology.model.declared import Deletion

from ..changes import Checked, CheckFailure, PropertyChange, change_between, unknown_inputs
from ..input_checks import config_as_text, config_changes, plain, why_not_owned, wrong_choice, wrong_config

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafka_topology.provider.plugin.properties import Value

_RESET: Final = ("to", "token")
# The cluster does not know these, so an import cannot set them: declaring them for the first time is no change.
_UNKNOWN_TO_KAFKA: Final = ("start", "maxLag")
Wrong: TypeAlias = Callable[[Properties], Iterable[CheckFailure]]


@dataclass(frozen=True, slots=True)
class Reset:
    """Moves offsets once for each new token."""

    to: Position
    token: str


def position(text: str) -> Position | None:
    """`earliest`, `latest`, or a time; None for anything else."""
    if text == "earliest":
        return "earliest"
    if text == "latest":
        return "latest"
    try:
        given = datetime.fromisoformat(text)
    except ValueError:
        return None
    return given if given.tzinfo else given.replace(tzinfo=UTC)


def parse_reset(inputs: Properties) -> Reset | None:
    reset = plain(inputs, "reset")
    if not isinstance(reset, dict):
        return None
    to = position(str(reset.get("to")))
    return Reset(to, str(reset.get("token"))) if to is not None else None


@dataclass(frozen=True, slots=True)
class GroupInputs:
    """The inputs of one type of group. `wrong` finds faults in those that only this type has."""

    word: str
    names: Sequence[str]
    wrong: Wrong
    compared: Sequence[str]

    def check(self, resource_name: str, old: Properties, new: Properties, owned: tuple[str, ...] | None) -> Checked:
        inputs = {key: value for key, value in new.items() if reveal(value) is not None}
        inputs.setdefault("name", resource_name)
        inputs.setdefault("deletion", "protected")
        if "config" in inputs:
            inputs["config"] = rewrap(inputs["config"], config_as_text)
        failures = (
            *unknown_inputs(inputs, self.names),
            *self._wrong_values(inputs),
            *self._outside(inputs, owned),
            *self._impossible_changes(old, inputs),
        )
        return Checked(inputs, failures)

    def diff(self, old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
        changes: list[PropertyChange] = []
        for name in ("name", "deletion", "reset", *self.compared):
            changes += change_between(name, plain(old, name), plain(new, name))
        changes += change_between("topics", _sorted_names(plain(old, "topics")), _sorted_names(plain(new, "topics")))
        for name in _UNKNOWN_TO_KAFKA:
            if plain(old, name) is not None:
                changes += change_between(name, _moment(plain(old, name)), _moment(plain(new, name)))
        changes += config_changes("group", plain(old, "config"), plain(new, "config"))
        return tuple(changes)

    def why_outside(self, name: str, owned: tuple[str, ...] | None) -> str | None:
        """Why a group of this name must never be changed, or None if it may be."""
        return why_not_owned(f"{self.word} '{name}'", name, owned)

    def _wrong_values(self, inputs: Properties) -> Iterator[CheckFailure]:
        name = plain(inputs, "name")
        if name is not UNKNOWN and not (isinstance(name, str) and name):
            yield CheckFailure("name", f"{name!r} is not the name of a {self.word}: give a text that is not empty.")
        yield from _wrong_topics(plain(inputs, "topics"))
        yield from _wrong_position("start", plain(inputs, "start"))
        yield from _wrong_reset(plain(inputs, "reset"))
        yield from wrong_config(inputs)
        yield from wrong_choice("deletion", inputs, get_args(Deletion))
        yield from _wrong_lag(plain(inputs, "maxLag"))
        yield from self.wrong(inputs)

    def _outside(self, inputs: Properties, owned: tuple[str, ...] | None) -> Iterator[CheckFailure]:
        name = plain(inputs, "name")
        reason = self.why_outside(name, owned) if isinstance(name, str) else None
        if reason is not None:
            yield CheckFailure("name", reason)

    def _impossible_changes(self, old: Properties, new: Properties) -> Iterator[CheckFailure]:
        if not old or has_unknown(dict(old)):
            return
        before, after = plain(old, "name"), plain(new, "name")
        if before is not None and after is not UNKNOWN and before != after:
            yield CheckFailure(
                "name",
                f"{self.word} '{before}' cannot be renamed to '{after}': its offsets belong to its name. Declare the "
                "new group beside the old one, with the start it needs, and remove the old one later.",
            )
        was, wanted = parse_reset(old), parse_reset(new)
        if was and wanted and was.token == wanted.token and was.to != wanted.to:
            yield CheckFailure(
                "reset.token",
                f"{self.word} '{before}': the reset's target changed and its token '{wanted.token}' did not: "
                "offsets move only for a new token. Change the token too, or put the target back.",
            )


def _sorted_names(value: Value) -> object:
    return sorted(map(str, value)) if isinstance(value, list) else value


def _moment(value: Value) -> object:
    return (position(value) or value) if isinstance(value, str) else value


def _wrong_topics(topics: Value) -> Iterator[CheckFailure]:
    if topics is None or topics is UNKNOWN:
        return
    if not isinstance(topics, list) or not all(t is UNKNOWN or isinstance(t, str) for t in topics):
        yield CheckFailure("topics", f"{topics!r} is not a list of topic names.")


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


def _wrong_lag(lag: Value) -> Iterator[CheckFailure]:
    if lag is not None and lag is not UNKNOWN and (isinstance(lag, bool) or not isinstance(lag, int) or lag < 0):
        yield CheckFailure("maxLag", f"{lag!r} is not a whole number of at least 0.")
