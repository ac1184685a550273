"""The kind `Access`, all ACLs of one principal: turns calls of the engine into calls for sets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from kafka_topology.cluster.live.access import Acl
from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.provider.plugin.properties import UNKNOWN, reveal

from ..base import Deletion, Old, OperationError, ResourceKind, State, refuse, state_of, value_of
from ..recent import RecentBatches
from . import inputs as acls
from .apply import AccessApplied, AccessApplier, AccessChange, of_principal
from .inputs import DeclaredAccess
from .limits import why_not_allowed

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from kafka_topology.cluster.outcomes import Outcome
    from kafka_topology.provider.plugin.properties import Properties, Value

    from ..admin import Admin
    from ..changes import Checked, PropertyChange

# The operations on the cluster that a principal needs to read and change access.
_NEEDED: Final = frozenset({"All", "Alter"})
Acls: TypeAlias = frozenset[Acl]
_Batches: TypeAlias = RecentBatches[AccessChange, AccessApplied, str, Acls]


class AccessKind(ResourceKind[DeclaredAccess, Acls, _Batches]):
    identity = "principal"

    def named(self, inputs: Properties) -> str:
        return f"the access of {reveal(inputs.get('principal'))}"

    def parts(self, inputs: Properties) -> frozenset[Hashable]:
        return acls.known(inputs) if isinstance(reveal(inputs.get("principal")), str) else frozenset()

    def check(self, resource_name: str, old: Properties, new: Properties) -> Checked:
        return acls.check(resource_name, old, new, self._session.settings.owned)

    def diff(self, old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
        return acls.diff(old, new)

    def parse(self, inputs: Properties) -> DeclaredAccess:
        return acls.parse(inputs)

    def why_outside(self, declared: DeclaredAccess) -> str | None:
        return acls.why_outside(declared.principal, self._session.settings.owned.principals)

    def why_not_applied(self, declared: DeclaredAccess) -> str | None:
        """Removing an ACL needs no grant."""
        allowed = why_not_allowed(declared.principal, declared.acls, self._session.settings.owned)
        return self.why_outside(declared) or allowed

    def gather(self, admin: Admin) -> _Batches:
        settings = self._session.settings
        applier = AccessApplier(admin.security.access, self._session.pause, patience=settings.operation_timeout)
        # One set at a time: two sets could delete an ACL that another resource has just created.
        return RecentBatches(
            applier.apply, applier.described, lambda live, principal: of_principal(principal, live), at_a_time=1
        )

    async def look(self, declared: DeclaredAccess) -> Acls:
        return value_of(await (await self.batches()).read(declared.principal))

    def unknown_state(self, new: Properties) -> State:
        return _state(new, UNKNOWN)

    async def preview_new(self, declared: DeclaredAccess, live: Acls, new: Properties) -> State:
        adopted = declared.acls & live
        warnings = list(_undeclared_warning(declared.principal, live - declared.acls))
        if adopted:
            warnings.append(f"{declared.principal} already has this access, so it is adopted: {_listed(adopted)}.")
        return _state(new, _texts(live - declared.acls), warnings=tuple(warnings))

    async def create_new(self, declared: DeclaredAccess, new: Properties, timeout: float) -> State:
        return await self._apply("", declared, new, frozenset(), timeout)

    async def preview_update(self, old: Old, new: Properties) -> State:
        undeclared = old.properties.get("undeclared", [])
        if self.is_unknown(new):
            return _state(new, undeclared)
        declared = acls.parse(new)
        live = await self.look(declared)
        before = acls.parse(self.declaration(old)).acls
        going = self._session.run.removing(old.urn, before - declared.acls)
        refuse(self._why_ours(declared.principal, going))
        others = _texts(live - declared.acls - before)
        return _state(new, others, warnings=tuple(_going_warnings(declared.principal, going)))

    async def update_known(self, declared: DeclaredAccess, old: Old, new: Properties, timeout: float) -> State:
        before = acls.parse(self.declaration(old)).acls
        refuse(self._why_ours(declared.principal, before - declared.acls))
        going = self._session.run.removing(old.urn, before - declared.acls)
        state = await self._apply(old.urn, declared, new, before & declared.acls | going, timeout)
        return replace(state, warnings=(*state.warnings, *_going_warnings(declared.principal, going)))

    async def read(self, old: Old) -> State | None:
        live = await self.look(DeclaredAccess(old.id, frozenset()))
        # An import declares nothing, so it takes all ACLs of the principal.
        declared = acls.parse(self.declaration(old)).acls if old.inputs else live
        if not declared & live:
            return self.vanished(old, _vanished(old.id, declared))
        return _live_state(old.id, old.inputs, live, declared)

    def without(self, declared: DeclaredAccess, kept: frozenset[Hashable]) -> DeclaredAccess:
        return DeclaredAccess(declared.principal, declared.acls - kept)

    def why_kept(self, declared: DeclaredAccess) -> str | None:
        return self._why_ours(declared.principal, declared.acls)

    async def send_deletion(self, item: Deletion[DeclaredAccess]) -> Outcome[object]:
        principal = item.declared.principal
        change = AccessChange(principal, frozenset(), item.declared.acls, item.deadline)
        outcome = await (await self.batches()).change(change)
        if not isinstance(outcome, Failure) and outcome.errors:
            # Some ACLs are deleted, so this counts as a deletion.
            left = f"the access of {principal} is only partly removed ({'; '.join(outcome.errors)})"
            raise OperationError(Failure(FailureKind.UNCERTAIN, f"{left}: run the command again."))
        return outcome

    async def _apply(
        self, urn: str, declared: DeclaredAccess, new: Properties, previous: frozenset[Acl], timeout: float
    ) -> State:
        change = AccessChange(declared.principal, declared.acls, previous, self._session.deadline(timeout))
        applied = value_of(await (await self.batches()).change(change))
        # ACLs that were declared and could not be removed yet do not count as undeclared: the next run removes them.
        left = previous - declared.acls if applied.errors else frozenset[Acl]()
        undeclared = applied.live - declared.acls - left
        undeclared -= self._session.run.others(urn, undeclared).parts
        warnings = tuple(_undeclared_warning(declared.principal, undeclared))
        if not applied.errors:
            return _state(new, _texts(undeclared), warnings=warnings)
        if not applied.live & (declared.acls | previous):
            # None of the ACLs is on the cluster, so fail without a resource in the state.
            refuse(f"the access of {declared.principal}: {'; '.join(applied.errors)}", FailureKind.REJECTED)
        state = _live_state(declared.principal, new, applied.live, declared.acls | left)
        unfinished = tuple(f"{declared.principal}: {line}" for line in applied.errors)
        return replace(state, warnings=warnings, unfinished=unfinished)

    def _why_ours(self, principal: str, going: Iterable[Acl]) -> str | None:
        """Why not to remove the provider's own access to change ACLs: it could not restore it."""
        if principal != f"User:{self._session.settings.client.get('sasl.username')}":
            return None
        lost = sorted(
            a for a in going if a.resource == "cluster" and a.permission == "allow" and a.operation in _NEEDED
        )
        if not lost:
            return None
        return (
            f"{principal} is the one that this provider logs in as, and would lose: {_listed(lost)}. It could not "
            "restore that. Log in as another user first (saslUsername). To only stop managing it, run 'pulumi state "
            "delete'."
        )


def _state(inputs: Properties, undeclared: Value, warnings: tuple[str, ...] = ()) -> State:
    return state_of(inputs["principal"], inputs, {"undeclared": undeclared}, warnings)


def _live_state(principal: str, old: Properties, live: frozenset[Acl], declared: frozenset[Acl]) -> State:
    """The declared rules that are on the cluster. The principal's other access is only reported."""
    shown = declared & live
    unchanged = bool(old) and acls.parse({"principal": principal, **old}).acls == shown
    rules = old["rules"] if unchanged else acls.as_rules(shown)
    inputs = {"principal": principal, "rules": rules}
    return _state(inputs, _texts(live - declared), tuple(_undeclared_warning(principal, live - declared)))


def _vanished(principal: str, declared: frozenset[Acl]) -> str:
    return (
        f"the access of {principal} HAS VANISHED: none of its {len(declared)} declared rules is on the cluster any "
        "more, and this stack did not remove them. What they allowed is refused, and what they denied is open. Find "
        "out who did. The next 'pulumi up' creates the rules again."
    )


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
        yield f"{principal} has access that this resource does not declare and has left alone: {_listed(undeclared)}."
