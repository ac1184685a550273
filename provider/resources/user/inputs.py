"""The inputs of `User`: checks them in the preview, parses them, and finds the changes between two versions.

Kafka never shows a password, so only the mechanism and its iterations can be compared with the cluster. The
password is in the state as a secret, encrypted by the engine, and a change of it is a rotation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, cast

from kafka_topology.cluster.live.users import Credential
from kafka_topology.provider.plugin.properties import UNKNOWN, as_secret, reveal

from ..access.inputs import why_outside
from ..changes import Checked, CheckFailure, PropertyChange, change_between, unknown_inputs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafka_topology.provider.plugin.properties import Properties, Value

INPUTS: Final = ("name", "mechanism", "iterations", "password")
OUTPUTS: Final = INPUTS
MECHANISMS: Final = ("SCRAM-SHA-256", "SCRAM-SHA-512")
# Twice Kafka's default, so a user that somebody created by hand shows a difference.
DEFAULT_ITERATIONS: Final = 8192
_FEWEST, _MOST = 4096, 16384


@dataclass(frozen=True, slots=True)
class DeclaredUser:
    name: str
    mechanism: str
    iterations: int | None = None
    password: str | None = field(default=None, repr=False)

    def credential(self, iterations: int | None = None) -> Credential:
        """`iterations` are the ones to keep if none are declared."""
        chosen = self.iterations or iterations or DEFAULT_ITERATIONS
        return Credential(self.name, self.mechanism, chosen, self.password or "")


def parse(inputs: Properties) -> DeclaredUser:
    """Parses inputs that `check` has accepted and that have no unknown values."""
    plain = cast("dict[str, object]", reveal(dict(inputs)))
    return DeclaredUser(
        name=str(plain["name"]),
        mechanism=str(plain.get("mechanism") or ""),
        iterations=cast("int | None", plain.get("iterations")),
        password=cast("str | None", plain.get("password")),
    )


def check(resource_name: str, old: Properties, new: Properties, owned: tuple[str, ...] | None) -> Checked:
    """Checks the inputs. The password becomes a secret, even if the program forgot to mark it."""
    inputs = {key: value for key, value in new.items() if reveal(value) is not None}
    inputs.setdefault("name", resource_name)
    if "password" in inputs:
        inputs["password"] = as_secret(inputs["password"])
    name = reveal(inputs["name"])
    failures = (
        *unknown_inputs(inputs, INPUTS),
        *_wrong_name(name, owned),
        *_wrong_values(inputs),
        *_rename(reveal(old.get("name")), name),
    )
    return Checked(inputs, failures)


def diff(old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
    changes: list[PropertyChange] = []
    for name in ("name", "mechanism"):
        changes += change_between(name, reveal(old.get(name)), reveal(new.get(name)))
    # An import cannot read the password: the first declared password is trusted, not applied.
    before = reveal(old.get("password"))
    iterations = reveal(new.get("iterations"))
    # Without a declaration, the old inputs have them if a refresh found that somebody else set them.
    if iterations is not None or before is not None:
        changes += change_between("iterations", reveal(old.get("iterations")), iterations)
    if before is not None:
        changes += change_between("password", before, reveal(new.get("password")))
    return tuple(changes)


def why_not_owned(name: str, owned: tuple[str, ...] | None) -> str | None:
    return why_outside(f"User:{name}", owned)


def _wrong_name(name: Value, owned: tuple[str, ...] | None) -> Iterator[CheckFailure]:
    if name is UNKNOWN:
        return
    if not isinstance(name, str) or not name:
        yield CheckFailure("name", f"{name!r} is not the name of a user: give text.")
    elif name.startswith("User:"):
        yield CheckFailure("name", f"'{name}' is a principal: write '{name.removeprefix('User:')}'.")
    elif reason := why_not_owned(name, owned):
        yield CheckFailure("name", reason)


def _wrong_values(inputs: Properties) -> Iterator[CheckFailure]:
    mechanism = reveal(inputs.get("mechanism"))
    if mechanism is None or mechanism == "":
        yield CheckFailure("mechanism", f"'mechanism' is missing: give one of {', '.join(MECHANISMS)}.")
    elif mechanism is not UNKNOWN and mechanism not in MECHANISMS:
        yield CheckFailure("mechanism", f"{mechanism!r} is not one of {', '.join(MECHANISMS)}.")
    iterations = reveal(inputs.get("iterations"))
    if iterations is not None and iterations is not UNKNOWN:
        is_number = isinstance(iterations, int) and not isinstance(iterations, bool)
        if not (is_number and _FEWEST <= cast("int", iterations) <= _MOST):
            yield CheckFailure("iterations", f"{iterations!r} is not a whole number from {_FEWEST} to {_MOST}.")
    password = reveal(inputs.get("password"))
    if password is not None and password is not UNKNOWN and not (isinstance(password, str) and password):
        yield CheckFailure("password", "the password is not text, or is empty.")


def _rename(old: Value, new: Value) -> Iterator[CheckFailure]:
    if isinstance(old, str) and isinstance(new, str) and old != new:
        yield CheckFailure(
            "name",
            f"user '{old}' cannot be renamed to '{new}': give the new user a resource of its own, apply that, let the "
            "clients log in with it, and then remove the old one.",
        )
