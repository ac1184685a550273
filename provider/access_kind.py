"""`Access` for the engine: all rules of one principal, around the set-wise core."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import acls
from .access_apply import AccessApplied, AccessApplier, AccessChange, of_principal
from .batches import Batch
from .kinds import Old, OperationError, State, value_of
from .outcomes import Failure, FailureKind
from .properties import UNKNOWN, has_unknown, reveal
from .recent import Recent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .acls import Acl
    from .changes import Checked, PropertyChange
    from .outcomes import Outcome
    from .properties import Properties, Value
    from .session import Session


class _Batches:
    def __init__(self, applier: AccessApplier) -> None:
        self._recent = Recent(applier.admin.describe_acls)
        self._changes: Batch[AccessChange, Outcome[AccessApplied]] = Batch(applier.apply)
        self.reads: Batch[str, Outcome[frozenset[Acl]]] = Batch(self._read, at_a_time=1)

    def _read(self, principals: Sequence[str]) -> list[Outcome[frozenset[Acl]]]:
        live = self._recent()
        return [live if isinstance(live, Failure) else of_principal(principal, live) for principal in principals]

    async def change(self, change: AccessChange) -> Outcome[AccessApplied]:
        try:
            return await self._changes.submit(change)
        finally:
            self._recent.forget()


class AccessKind:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._batches: _Batches | None = None

    def check(self, resource_name: str, old: Properties, new: Properties) -> Checked:
        return acls.check(resource_name, old, new, self._session.settings.owned.principals)

    def diff(self, old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
        return acls.diff(old, new)

    async def preview_create(self, new: Properties) -> State:
        if has_unknown(dict(new)):
            return _state(new, UNKNOWN)
        declared = acls.parse(new)
        live = await self._look(declared.principal)
        adopted = declared.acls & live
        warnings = list(_undeclared_warning(declared.principal, live - declared.acls))
        if adopted:
            warnings.append(f"{declared.principal} has this access already, it is adopted: {_listed(adopted)}.")
        return _state(new, _texts(live - declared.acls), warnings=tuple(warnings))

    async def create(self, new: Properties, timeout: float) -> State:
        return await self._apply(new, frozenset(), timeout)

    async def preview_update(self, old: Old, new: Properties) -> State:
        undeclared = old.properties.get("undeclared", [])
        if has_unknown(dict(new)):
            return _state(new, undeclared)
        declared = acls.parse(new)
        going = acls.parse(old.inputs).acls - declared.acls
        return _state(new, undeclared, warnings=tuple(_going_warnings(declared.principal, going)))

    async def update(self, old: Old, new: Properties, timeout: float) -> State:
        return await self._apply(new, acls.parse(old.inputs).acls, timeout)

    async def read(self, old: Old) -> State | None:
        live = await self._look(old.id)
        if not live:
            return None
        # An import declares nothing, so it takes all that the principal has.
        declared = acls.parse(old.inputs).acls if old.inputs else live
        if not declared & live:
            return None
        return _live_state(old.id, old.inputs, live, declared)

    async def delete(self, old: Old, timeout: float) -> None:
        declared = acls.parse(old.inputs or old.properties)
        self._guard(declared.principal)
        batches = await self._connected()
        change = AccessChange(declared.principal, frozenset(), declared.acls, self._session.deadline(timeout))
        self._session.reserve_delete(f"the access of {declared.principal}")
        outcome = await batches.change(change)
        if isinstance(outcome, Failure):
            self._session.release_delete()
            raise OperationError(outcome)
        if outcome.errors:
            raise OperationError(
                Failure(
                    FailureKind.UNCERTAIN,
                    f"the access of {declared.principal} is not all taken away ({'; '.join(outcome.errors)}): "
                    "run the command again.",
                )
            )

    async def _apply(self, new: Properties, previous: frozenset[Acl], timeout: float) -> State:
        declared = acls.parse(new)
        self._guard(declared.principal)
        batches = await self._connected()
        change = AccessChange(declared.principal, declared.acls, previous, self._session.deadline(timeout))
        applied = value_of(await batches.change(change))
        # What was declared and could not be taken away yet is not "undeclared": the next run takes it away.
        left = previous - declared.acls if applied.errors else frozenset[acls.Acl]()
        undeclared = applied.live - declared.acls - left
        warnings = tuple(_undeclared_warning(declared.principal, undeclared))
        if not applied.errors:
            return _state(new, _texts(undeclared), warnings=warnings)
        if not applied.live & (declared.acls | previous):
            # Nothing of it is there: an error that leaves no resource behind says it best.
            raise OperationError(
                Failure(FailureKind.REJECTED, f"the access of {declared.principal}: {'; '.join(applied.errors)}")
            )
        state = _live_state(declared.principal, new, applied.live, declared.acls | left)
        return State(
            id=state.id,
            inputs=state.inputs,
            properties=state.properties,
            warnings=warnings,
            unfinished=tuple(f"{declared.principal}: {line}" for line in applied.errors),
        )

    def _guard(self, principal: str) -> None:
        """Checked in the preview too; looked at again because a state may come from elsewhere."""
        self._session.stop_if_cancelled()
        reason = acls.why_outside(principal, self._session.settings.owned.principals)
        if reason is not None:
            raise OperationError(Failure(FailureKind.REFUSED, reason))

    async def _look(self, principal: str) -> frozenset[Acl]:
        batches = await self._connected()
        return value_of(await batches.reads.submit(principal))

    async def _connected(self) -> _Batches:
        admin = await self._session.admin()
        if self._batches is None:
            self._batches = _Batches(AccessApplier(admin.security.access, self._session.pause))
        return self._batches


def _state(inputs: Properties, undeclared: Value, warnings: tuple[str, ...] = ()) -> State:
    principal = reveal(inputs["principal"])
    return State(
        id=principal if isinstance(principal, str) else "",
        inputs=inputs,
        properties={**inputs, "undeclared": undeclared},
        warnings=warnings,
    )


def _live_state(principal: str, old: Properties, live: frozenset[Acl], declared: frozenset[Acl]) -> State:
    """What is there of the declared rules. The rest of the principal's access is only told."""
    shown = declared & live
    unchanged = bool(old) and acls.parse(old).acls == shown
    rules = old["rules"] if unchanged else acls.as_rules(shown)
    inputs = {"principal": principal, "rules": rules}
    return _state(inputs, _texts(live - declared), tuple(_undeclared_warning(principal, live - declared)))


def _texts(rules: Iterable[Acl]) -> list[Value]:
    return [str(acl) for acl in sorted(rules)]


def _listed(rules: Iterable[Acl]) -> str:
    return "; ".join(str(acl) for acl in sorted(rules))


def _going_warnings(principal: str, going: frozenset[Acl]) -> Iterator[str]:
    lost = {acl for acl in going if acl.permission == "allow"}
    if lost:
        yield f"{principal} loses: {_listed(lost)}."
    if going - lost:
        yield f"{principal} is not denied any more: {_listed(going - lost)}."


def _undeclared_warning(principal: str, undeclared: frozenset[Acl]) -> Iterator[str]:
    if undeclared:
        yield f"{principal} has access that is not declared and is left alone: {_listed(undeclared)}."
