"""The kind `User`, a SCRAM credential: turns calls of the engine into calls for sets of users."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.provider.plugin.batches import Batch
from kafka_topology.provider.plugin.properties import UNKNOWN, has_unknown, reveal

from ..base import Deletion, Old, ResourceKind, State, refuse, state_of, value_of
from ..input_checks import plain
from . import inputs as users
from .apply import Logins, UserApplier, UserChange, why_not_adopt
from .inputs import DeclaredUser

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from kafka_topology.cluster.outcomes import Outcome
    from kafka_topology.provider.plugin.properties import Properties, Value

    from ..admin import Admin
    from ..changes import Checked, PropertyChange


class _Batches:
    def __init__(self, applier: UserApplier) -> None:
        self.changes: Batch[UserChange, Outcome[Logins]] = Batch(applier.apply)
        self.reads: Batch[str, Outcome[Logins]] = Batch(applier.read)


class UserKind(ResourceKind[DeclaredUser, Logins, _Batches]):
    word = "user"

    def parts(self, inputs: Properties) -> frozenset[Hashable]:
        name, mechanism = reveal(inputs.get("name")), reveal(inputs.get("mechanism"))
        if not (isinstance(name, str) and isinstance(mechanism, str)):
            return frozenset()
        return frozenset({("user", name, mechanism)})

    def check(self, resource_name: str, old: Properties, new: Properties) -> Checked:
        return users.check(resource_name, old, new, self._session.settings.owned.principals)

    def diff(self, old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
        return users.diff(old, new)

    def parse(self, inputs: Properties) -> DeclaredUser:
        return users.parse(inputs)

    def why_outside(self, declared: DeclaredUser) -> str | None:
        return users.why_not_owned(declared.name, self._session.settings.owned.principals)

    def gather(self, admin: Admin) -> _Batches:
        settings = self._session.settings
        return _Batches(UserApplier(admin.security.users, self._session.pause, patience=settings.operation_timeout))

    async def look(self, declared: DeclaredUser) -> Logins:
        return value_of(await (await self.batches()).reads.submit(declared.name))

    def is_unknown(self, new: Properties) -> bool:
        return has_unknown({key: value for key, value in new.items() if key != "password"})

    def unknown_state(self, new: Properties) -> State:
        return _state(new, UNKNOWN)

    def why_not_adopt(self, declared: DeclaredUser, live: Logins) -> str | None:
        return why_not_adopt(declared.credential(), live)

    async def preview_create(self, new: Properties) -> State:
        if not self.is_unknown(new):
            _demand_login(new)
        return await super().preview_create(new)

    async def preview_new(self, declared: DeclaredUser, live: Logins, new: Properties) -> State:
        same = f"user '{declared.name}' already exists and looks the same: its password is set to the declared one."
        warnings = (same,) if declared.mechanism in live else ()
        others = _other_mechanisms(declared.name, declared.mechanism, live)
        return _state(new, declared.credential().iterations, (*warnings, *others))

    async def create_new(self, declared: DeclaredUser, new: Properties, timeout: float) -> State:
        _demand_login(new)
        credential = declared.credential()
        change = UserChange(declared.name, self._session.deadline(timeout), credential, is_new=True)
        live = value_of(await self._apply(change))
        return _state(new, credential.iterations, _other_mechanisms(declared.name, declared.mechanism, live))

    async def preview_update(self, old: Old, new: Properties) -> State:
        await self.look(users.parse({"name": old.id}))
        self._removed(old, new)
        return _state(new, _iterations(old, new), self._own_password_warning(old, new))

    async def update_known(self, declared: DeclaredUser, old: Old, new: Properties, timeout: float) -> State:
        _demand_login(new)
        kept = _iterations(old, new)
        credential = declared.credential(kept if isinstance(kept, int) else None)
        change = UserChange(declared.name, self._session.deadline(timeout), credential, self._removed(old, new))
        value_of(await self._apply(change))
        return _state(new, credential.iterations)

    def _removed(self, old: Old, new: Properties) -> str | None:
        """The mechanism to remove, unless another resource declares it."""
        before = users.parse(self.declaration(old))
        if before.mechanism in ("", plain(new, "mechanism")):
            return None
        going = self._session.run.removing(old.urn, [("user", before.name, before.mechanism)])
        return before.mechanism if going else None

    async def read(self, old: Old) -> State | None:
        live = await self.look(users.parse({"name": old.id}))
        # An import takes the stronger of two mechanisms. A mechanism that is not declared is not ours.
        mechanism = reveal(old.inputs.get("mechanism")) or max(live, default="")
        if not isinstance(mechanism, str) or mechanism not in live:
            return self.vanished(
                old,
                f"user '{old.id}' HAS VANISHED: it cannot log in with {mechanism} any more, and this stack did not "
                "delete it. Find out who did. The next 'pulumi up' creates it again with the declared password.",
            )
        inputs: dict[str, Value] = {**old.inputs, "name": old.id, "mechanism": mechanism}
        before = reveal(old.properties.get("iterations"))
        was_changed = bool(old.inputs) and isinstance(before, int) and before != live[mechanism]
        if not old.inputs or "iterations" in old.inputs or was_changed:
            inputs["iterations"] = live[mechanism]
        warnings = (_other_password(old.id, before, live[mechanism]),) * was_changed
        return _state(inputs, live[mechanism], (*warnings, *_other_mechanisms(old.id, mechanism, live)))

    def why_kept(self, declared: DeclaredUser) -> str | None:
        _demand_mechanism(declared)
        if not self._is_ours(declared):
            return None
        return (
            f"user '{declared.name}' is the one that this provider logs in with, so it is not deleted: log in as "
            "another user first (saslUsername). To only stop managing it, run 'pulumi state delete'."
        )

    async def send_deletion(self, item: Deletion[DeclaredUser]) -> Outcome[object]:
        return await self._apply(UserChange(item.declared.name, item.deadline, removed=item.declared.mechanism))

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

    async def _apply(self, change: UserChange) -> Outcome[Logins]:
        outcome = await (await self.batches()).changes.submit(change)
        if isinstance(outcome, Failure) and change.credential is not None:
            # In case a library puts the password into its message.
            return Failure(outcome.kind, outcome.message.replace(change.credential.password, "[secret]"))
        return outcome


def _iterations(old: Old, new: Properties) -> Value:
    """The declared iterations, or those of the user; the default if somebody else set them or they were declared."""
    if new.get("iterations") is not None:
        return new["iterations"]
    return users.DEFAULT_ITERATIONS if "iterations" in old.inputs else old.properties.get("iterations")


def _other_password(name: str, before: Value, now: int) -> str:
    return (
        f"user '{name}': SOMEBODY ELSE SET ITS PASSWORD: its iterations were {before} and are {now}, and Kafka changes "
        "them with a password only. Clients with the declared password cannot log in. Find out who did; 'pulumi up' "
        "sets the declared password again."
    )


def _demand_mechanism(declared: DeclaredUser) -> None:
    if declared.mechanism not in users.MECHANISMS:
        refuse(
            f"user '{declared.name}' has no mechanism: give one of {', '.join(users.MECHANISMS)}. If the state does "
            "not have it, run 'pulumi refresh' first.",
            FailureKind.REJECTED,
        )


def _demand_login(inputs: Properties) -> None:
    declared = users.parse(inputs)
    _demand_mechanism(declared)
    if inputs.get("password") is None:
        refuse(
            f"user '{declared.name}' has no password: give one from the stack's config, which is set with "
            "'pulumi config set --secret'.",
            FailureKind.REJECTED,
        )


def _other_mechanisms(name: str, mechanism: str, live: Mapping[str, int]) -> tuple[str, ...]:
    others = sorted(live.keys() - {mechanism})
    if not others:
        return ()
    return (f"user '{name}' can also log in with {', '.join(others)}, which is not declared and is left alone.",)


def _state(inputs: Properties, iterations: Value, warnings: tuple[str, ...] = ()) -> State:
    return state_of(inputs["name"], inputs, {"iterations": iterations}, warnings)
