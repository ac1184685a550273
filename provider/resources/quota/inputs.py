"""The inputs of `Quota`: checks them in the preview, parses them, and finds the changes between two versions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Final, cast

from kafka_topology.cluster.live.quotas import DEFAULT, Entity, QuotaChange
from kafka_topology.provider.plugin.properties import UNKNOWN, reveal

from ..changes import Checked, CheckFailure, PropertyChange, change_between, unknown_inputs
from ..user.inputs import why_not_owned

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kafka_topology.provider.plugin.properties import Properties, Value

# The name in Kafka of each input.
LIMITS: Final = {
    "producerByteRate": "producer_byte_rate",
    "consumerByteRate": "consumer_byte_rate",
    "requestPercentage": "request_percentage",
    "controllerMutationRate": "controller_mutation_rate",
}
INPUTS: Final = ("user", "clientId", *LIMITS)
OUTPUTS: Final = (*INPUTS, "undeclared")
_ID: Final = re.compile(r"(?:user=(?P<user>.+?))?(?:(?:^|,)client-id=(?P<client>.+))?")


@dataclass(frozen=True, slots=True)
class DeclaredQuota:
    """`limits` are by their names in Kafka."""

    entity: Entity
    limits: Mapping[str, float]


def parse(inputs: Properties) -> DeclaredQuota:
    """Parses inputs that `check` has accepted and that have no unknown values."""
    plain = cast("dict[str, object]", reveal(dict(inputs)))
    return DeclaredQuota(
        entity_of(inputs),
        {kafka: float(cast("float", plain[name])) for name, kafka in LIMITS.items() if plain.get(name) is not None},
    )


def entity_of(inputs: Properties) -> Entity:
    """The entity that these inputs limit. Neither name may be unknown."""
    user, client_id = (cast("str | None", reveal(inputs.get(name))) for name in ("user", "clientId"))
    return Entity(user, client_id)


def parse_id(text: str) -> Entity | None:
    found = _ID.fullmatch(text)
    return Entity(found["user"], found["client"]) if found and text else None


def as_inputs(entity: Entity, limits: Mapping[str, float]) -> dict[str, Value]:
    """The inputs for a live quota."""
    inputs: dict[str, Value] = {}
    if entity.user is not None:
        inputs["user"] = entity.user
    if entity.client_id is not None:
        inputs["clientId"] = entity.client_id
    for name, kafka in LIMITS.items():
        if kafka in limits:
            inputs[name] = whole_number(limits[kafka])
    return inputs


def whole_number(value: float) -> int | float:
    """Without `.0`, as files and people write it."""
    return int(value) if value.is_integer() else value


def check(old: Properties, new: Properties, owned: tuple[str, ...] | None) -> Checked:
    inputs = {key: value for key, value in new.items() if reveal(value) is not None}
    failures = (
        *unknown_inputs(inputs, INPUTS),
        *_wrong_entity(inputs, owned),
        *_wrong_limits(inputs),
        *_other_entity(old, inputs),
    )
    return Checked(inputs, failures)


def diff(old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
    changes: list[PropertyChange] = []
    for name in INPUTS:
        changes += change_between(name, reveal(old.get(name)), reveal(new.get(name)))
    return tuple(changes)


def plan(previous: Mapping[str, float], declared: Mapping[str, float], live: Mapping[str, float]) -> QuotaChange:
    """Removes only limits that were declared until now."""
    return QuotaChange(
        set={key: value for key, value in declared.items() if live.get(key) != value},
        removed=frozenset(key for key in previous if key not in declared and key in live),
    )


def why_not_adopt(declared: DeclaredQuota, live: Mapping[str, float]) -> str | None:
    lines = [
        f"{name}: declared {whole_number(declared.limits[kafka])}, live {whole_number(live[kafka])}"
        for name, kafka in LIMITS.items()
        if kafka in declared.limits and live.get(kafka, declared.limits[kafka]) != declared.limits[kafka]
    ]
    if not lines:
        return None
    entity, name = declared.entity, quote(declared.entity.id)
    return (
        f"{entity} exists already and differs from the declaration ({'; '.join(lines)}). Nothing was changed. Declare "
        f"what is there, or take it over with 'pulumi import kafka-topology:index:Quota {name} {name}' and "
        "apply the difference as an update."
    )


def undeclared(declared: DeclaredQuota, live: Mapping[str, float]) -> dict[str, int | float]:
    """The limits that somebody else has set."""
    return {
        name: whole_number(live[kafka])
        for name, kafka in LIMITS.items()
        if kafka in live and kafka not in declared.limits
    }


def why_outside(entity: Entity, owned: tuple[str, ...] | None) -> str | None:
    """Why this quota must not be changed, or None if it may be."""
    if owned is None:
        return None
    if entity.user is None or entity.user == DEFAULT:
        return (
            f"{entity} limits users outside the ownership ({', '.join(owned) or 'nothing'}) too: name a user of the "
            "ownership, or manage it where everybody's quotas are managed."
        )
    return why_not_owned(entity.user, owned)


def _wrong_entity(inputs: Properties, owned: tuple[str, ...] | None) -> Iterator[CheckFailure]:
    user, client_id = (reveal(inputs.get(name)) for name in ("user", "clientId"))
    if user is UNKNOWN or client_id is UNKNOWN:
        return
    if user is None and client_id is None:
        yield CheckFailure(
            "user", "a quota limits a user, a client id, or both, and neither is set: give at least one."
        )
        return
    for name, value in (("user", user), ("clientId", client_id)):
        if value is not None and not (isinstance(value, str) and value):
            yield CheckFailure(name, f"{value!r} is not a name: give text.")
            return
    entity = Entity(cast("str | None", user), cast("str | None", client_id))
    if parse_id(entity.id) != entity:
        yield CheckFailure("user", f"a user's name with ',client-id=' in it ({user!r}) cannot be managed here.")
    if reason := why_outside(entity, owned):
        yield CheckFailure("user", reason)


def _wrong_limits(inputs: Properties) -> Iterator[CheckFailure]:
    if not any(name in inputs for name in LIMITS):
        yield CheckFailure("producerByteRate", f"give at least one limit: {', '.join(LIMITS)}.")
    for name in LIMITS:
        value = reveal(inputs.get(name))
        if value is None or value is UNKNOWN:
            continue
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or cast("float", value) <= 0:
            yield CheckFailure(name, f"{value!r} is not a number above 0.")
        elif name.endswith("ByteRate") and not isinstance(value, int):
            yield CheckFailure(name, f"{value!r} is not a whole number of bytes a second.")


def _other_entity(old: Properties, new: Properties) -> Iterator[CheckFailure]:
    if not old:
        return
    for name in ("user", "clientId"):
        before, after = reveal(old.get(name)), reveal(new.get(name))
        if before != after and UNKNOWN not in (before, after):
            yield CheckFailure(
                name,
                f"a quota cannot move from {before or 'none'} to {after or 'none'}: give the other one a resource of "
                "its own, and remove this one.",
            )
