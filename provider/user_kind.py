"""`User` for the engine: a SCRAM credential, around the set-wise core."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import users
from .batches import Batch
from .kinds import Old, OperationError, State, value_of
from .outcomes import Failure, FailureKind
from .properties import UNKNOWN, has_unknown, reveal
from .user_apply import UserApplier, UserChange, why_not_adopt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .changes import Checked, PropertyChange
    from .outcomes import Outcome
    from .properties import Properties, Value
    from .session import Session
    from .users import DeclaredUser


class _Batches:
    def __init__(self, applier: UserApplier) -> None:
        self.changes: Batch[UserChange, Outcome[Mapping[str, int]]] = Batch(applier.apply)
        self.reads: Batch[str, Outcome[Mapping[str, int]]] = Batch(applier.read)


class UserKind:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._batches: _Batches | None = None

    def check(self, resource_name: str, old: Properties, new: Properties) -> Checked:
        return users.check(resource_name, old, new, self._session.settings.owned.principals)

    def diff(self, old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
        return users.diff(old, new)

    async def preview_create(self, new: Properties) -> State:
        if has_unknown({key: value for key, value in new.items() if key != "password"}):
            return _state(new, UNKNOWN)
        declared = users.parse(new)
        _demand_password(new)
        live = await self._look(declared.name)
        credential = declared.credential()
        if reason := why_not_adopt(credential, live):
            raise OperationError(Failure(FailureKind.EXISTS, reason))
        warnings = (
            (f"user '{declared.name}' exists and looks the same: its password is set to the declared one.",)
            if declared.mechanism in live
            else ()
        )
        return _state(new, credential.iterations, (*warnings, *_other_mechanisms(declared, live)))

    async def create(self, new: Properties, timeout: float) -> State:
        declared = users.parse(new)
        self._guard(declared.name)
        _demand_password(new)
        credential = declared.credential()
        change = UserChange(declared.name, self._session.deadline(timeout), credential, is_new=True)
        live = await self._apply(change)
        return _state(new, credential.iterations, _other_mechanisms(declared, live))

    async def preview_update(self, old: Old, new: Properties) -> State:
        return _state(new, _iterations(old, new), self._own_password_warning(old, new))

    async def update(self, old: Old, new: Properties, timeout: float) -> State:
        before, declared = users.parse(old.inputs), users.parse(new)
        self._guard(declared.name)
        _demand_password(new)
        kept = _iterations(old, new)
        credential = declared.credential(kept if isinstance(kept, int) else None)
        removed = before.mechanism if before.mechanism != declared.mechanism else None
        change = UserChange(declared.name, self._session.deadline(timeout), credential, removed)
        await self._apply(change)
        return _state(new, credential.iterations)

    async def read(self, old: Old) -> State | None:
        live = await self._look(old.id)
        # An import takes the stronger of two mechanisms. Another than the declared one is not ours.
        mechanism = reveal(old.inputs.get("mechanism")) or max(live, default="")
        if not isinstance(mechanism, str) or mechanism not in live:
            return None
        inputs: dict[str, Value] = {**old.inputs, "name": old.id, "mechanism": mechanism}
        if not old.inputs or "iterations" in old.inputs:
            inputs["iterations"] = live[mechanism]
        return _state(inputs, live[mechanism])

    async def delete(self, old: Old, timeout: float) -> None:
        declared = users.parse(old.inputs or old.properties)
        self._guard(declared.name)
        if self._is_ours(declared):
            raise OperationError(
                Failure(
                    FailureKind.REFUSED,
                    f"user '{declared.name}' is the one that this provider logs in with and is not deleted: log in "
                    "with another one first (saslUsername). To only stop managing it, run 'pulumi state delete'.",
                )
            )
        self._session.reserve_delete(f"user '{declared.name}'")
        change = UserChange(declared.name, self._session.deadline(timeout), removed=declared.mechanism)
        try:
            await self._apply(change)
        except OperationError:
            self._session.release_delete()
            raise

    def _is_ours(self, declared: DeclaredUser) -> bool:
        client = self._session.settings.client
        mechanism = client.get("sasl.mechanism") or client.get("sasl.mechanisms")
        return client.get("sasl.username") == declared.name and mechanism == declared.mechanism

    def _own_password_warning(self, old: Old, new: Properties) -> tuple[str, ...]:
        if has_unknown(dict(new)) or not self._is_ours(users.parse(new)) or not users.diff(old.inputs, new):
            return ()
        warning = (
            f"user '{users.parse(new).name}' is the one that this provider logs in with: give the provider the new "
            "password (saslPassword) right after this run."
        )
        return (warning,)

    def _guard(self, name: str) -> None:
        """Checked in the preview too; looked at again because a state may come from elsewhere."""
        self._session.stop_if_cancelled()
        reason = users.why_not_owned(name, self._session.settings.owned.principals)
        if reason is not None:
            raise OperationError(Failure(FailureKind.REFUSED, reason))

    async def _apply(self, change: UserChange) -> Mapping[str, int]:
        batches = await self._connected()
        outcome = await batches.changes.submit(change)
        if isinstance(outcome, Failure) and change.credential is not None:
            # Should a library ever put a password into a message, it stops here.
            outcome = Failure(outcome.kind, outcome.message.replace(change.credential.password, "[secret]"))
        return value_of(outcome)

    async def _look(self, name: str) -> Mapping[str, int]:
        batches = await self._connected()
        return value_of(await batches.reads.submit(name))

    async def _connected(self) -> _Batches:
        admin = await self._session.admin()
        if self._batches is None:
            self._batches = _Batches(UserApplier(admin.security.users, self._session.pause))
        return self._batches


def _iterations(old: Old, new: Properties) -> Value:
    """Where none are declared, those that the user has stay."""
    return new.get("iterations") or old.properties.get("iterations")


def _demand_password(inputs: Properties) -> None:
    if inputs.get("password") is None:
        name = reveal(inputs["name"])
        raise OperationError(
            Failure(
                FailureKind.REJECTED,
                f"user '{name}' has no password: give one from the stack's config, which is set with "
                "'pulumi config set --secret'.",
            )
        )


def _other_mechanisms(declared: DeclaredUser, live: Mapping[str, int]) -> tuple[str, ...]:
    others = sorted(live.keys() - {declared.mechanism})
    if not others:
        return ()
    return (f"user '{declared.name}' can also log in by {', '.join(others)}: not declared, and left alone.",)


def _state(inputs: Properties, iterations: Value, warnings: tuple[str, ...] = ()) -> State:
    name = reveal(inputs["name"])
    return State(
        id=name if isinstance(name, str) else "",
        inputs=inputs,
        properties={**inputs, "iterations": iterations},
        warnings=warnings,
    )
