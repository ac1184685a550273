"""Asks the provider's own kinds what `pulumi up` would do, and what the brokers say to it. Changes nothing.

Each kind previews its resources as it does for the Pulumi engine: it looks at the cluster, refuses what its promises
forbid, and lets the brokers validate the very requests that the run would send. Calls are gathered into sets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..cluster.outcomes import Failure, FailureKind
from ..provider.desired.resources import desired_resources
from ..provider.plugin.lifecycle import Lifecycle
from ..provider.plugin.session import Session
from ..provider.resources.base import Old, OperationError
from ..provider.resources.descriptor import installed_kinds
from .deployed import Deployed, Key, inputs_of, urn_of

if TYPE_CHECKING:
    from ..provider.config.settings import Settings
    from ..provider.plugin.properties import Properties
    from ..provider.resources.admin import Admin
    from ..topology.model.declared import Topology

Action: TypeAlias = Literal["create", "update", "delete", "keep", "unclear"]


@dataclass(frozen=True, slots=True)
class Request:
    """What `pulumi up` would do with one resource, and what came of asking for it.

    "unclear" means: it is on the cluster and differs, and nobody knows what was deployed. `changed` has the paths of
    the inputs that change. A failure without an answer is of kind UNCERTAIN.
    """

    key: Key
    action: Action
    inputs: Properties
    before: Properties | None = None
    changed: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        return self.key[0]

    @property
    def name(self) -> str:
        return self.key[1]

    @property
    def is_change(self) -> bool:
        return self.action != "keep"


@dataclass(frozen=True, slots=True)
class Asked:
    """The requests of all resources, declared or deployed. `deletions` counts those that `maxDeletes` limits."""

    requests: Mapping[Key, Request] = field(default_factory=dict)
    deletions: int = 0
    most_deletions: int = 0

    @property
    def has_too_many(self) -> bool:
        return self.deletions > self.most_deletions


def ask(topology: Topology, deployed: Deployed | None, settings: Settings, admin: Admin) -> Asked:
    session = _Counting(settings, lambda _: admin)
    try:
        requests = asyncio.run(_Asking(session).all(topology, deployed))
    finally:
        session.neighbours.close()
    return Asked(requests, session.planned, settings.max_deletes)


class _Counting(Session):
    """Counts the deletions of the whole deployment, so that one sentence can say how many are too many."""

    planned = 0

    def plan_delete(self, what: str) -> None:  # noqa: ARG002 - it is not about one of them
        self.planned += 1


class _Asking:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._kinds = {kind.name: Lifecycle(kind.make(session), session) for kind in installed_kinds().values()}

    async def all(self, topology: Topology, deployed: Deployed | None) -> dict[Key, Request]:
        await self._session.admin()  # the kinds compare its id with that of the state
        before = {key: self._checked(key, old) for key, old in (deployed.resources if deployed else {}).items()}
        declared: dict[Key, Request] = {}
        for each in desired_resources(topology):
            key = (each.kind, each.name)
            old = before.get(key)
            checked = self._kinds[each.kind].check(
                urn_of(*key), each.name, old.inputs if old is not None else {}, inputs_of(each)
            )
            refused = tuple(Failure(FailureKind.REFUSED, failure.reason) for failure in checked.failures)
            before_inputs = old.inputs if old is not None else None
            declared[key] = Request(key, "keep", checked.inputs, before_inputs, failures=refused)
        asked = await asyncio.gather(
            *(self._declared(each, before.get(each.key), is_known=deployed is not None) for each in declared.values())
        )
        # One after the other, as in a run: the provider counts them.
        gone = [await self._removed(key, before[key]) for key in before if key not in declared]
        return {each.key: each for each in (*asked, *gone)}

    def _checked(self, key: Key, old: Old) -> Old:
        """With the defaults that a kind fills in: an earlier revision of the files does not have them."""
        inputs = self._kinds[key[0]].kind.check(key[1], {}, old.inputs).inputs
        return Old(old.id, inputs, old.properties, old.urn)

    async def _declared(self, request: Request, old: Old | None, *, is_known: bool) -> Request:
        if old is not None:
            changes = self._kinds[request.kind].diff(old, request.inputs)
            if not changes and not request.failures:
                return request
            request = replace(request, action="update", changed=tuple(change.path for change in changes))
            return request if request.failures else await self._previewed(request, old)
        request = replace(request, action="create")
        if request.failures:
            return request
        created = await self._previewed(request, None)
        exists = [failure for failure in created.failures if failure.kind is FailureKind.EXISTS]
        if is_known or not exists:
            return created
        # Nobody said what was deployed. Ask as if the live values were: the brokers still validate the new ones.
        live = Old(request.name, request.inputs, request.inputs, urn_of(*request.key))
        return await self._previewed(replace(request, action="unclear"), live)

    async def _previewed(self, request: Request, old: Old | None) -> Request:
        kind = self._kinds[request.kind]
        try:
            if old is None:
                state = await kind.create(urn_of(*request.key), request.inputs, 0, preview=True)
            else:
                state = await kind.update(old, request.inputs, 0, preview=True)
        except OperationError as error:
            return replace(request, failures=(error.failure,))
        return replace(request, warnings=(*state.warnings, *state.notes))

    async def _removed(self, key: Key, old: Old) -> Request:
        request = Request(key, "delete", old.inputs, old.inputs)
        try:
            await self._kinds[key[0]].preview_delete(old)
        except OperationError as error:
            return replace(request, failures=(error.failure,))
        return request
