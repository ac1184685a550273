"""Applies sets of access changes, and returns what the cluster shows afterwards.

All new ACLs are created and visible before the first one is deleted. So access that a principal keeps is never
interrupted, and access that stays denied is never open, even if other ACLs take over.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kafka_topology.cluster.attempts import until_one_answer
from kafka_topology.cluster.live.access import Acl
from kafka_topology.cluster.outcomes import Failure, FailureKind, Outcome

from ..converge import Answer, Applier, Missing, Settled, answers_to, is_accepted
from ..security_admin import AccessAdmin

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class AccessChange:
    """`previous` has the ACLs that were declared until now; no others are deleted."""

    principal: str
    declared: frozenset[Acl]
    previous: frozenset[Acl]
    deadline: float


@dataclass(frozen=True, slots=True)
class AccessApplied:
    """The ACLs of the principal on the cluster now, and the errors."""

    live: frozenset[Acl]
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Awaited:
    """An ACL to create, or to delete."""

    acl: Acl
    deadline: float


@dataclass
class _Progress:
    """The ACLs of the last read, and the error of each ACL that failed."""

    live: frozenset[Acl]
    errors: dict[Acl, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AccessApplier(Applier[AccessAdmin]):
    def apply(self, items: Sequence[AccessChange]) -> list[Outcome[AccessApplied]]:
        end = max(item.deadline for item in items)
        live = until_one_answer(self.admin.describe_acls, self.pause, lambda: self.clock() >= end)
        if isinstance(live, Failure):
            return [live] * len(items)
        progress = _Progress(live)
        coming = [_Awaited(acl, item.deadline) for item in items for acl in item.declared - live]
        self._until_shown(coming, progress, self.admin.create_acls, gone=False)
        wanted = frozenset[Acl]().union(*(item.declared for item in items))
        going = [
            _Awaited(acl, item.deadline)
            for item in items
            if item.declared <= progress.live
            for acl in (item.previous - wanted) & live
        ]
        self._until_shown(going, progress, self.admin.delete_acls, gone=True)
        return [self._applied(item, wanted, progress) for item in items]

    def described(self) -> Outcome[frozenset[Acl]]:
        """The ACLs of all principals."""
        return self.one_answer(self.admin.describe_acls)

    def _until_shown(
        self,
        awaited: Collection[_Awaited],
        progress: _Progress,
        ask: Callable[[Collection[Acl]], Mapping[Acl, Outcome[None]]],
        *,
        gone: bool,
    ) -> None:
        """Writes errors and the last read into `progress`."""

        def look(pending: Mapping[Acl, _Awaited], _: object) -> dict[Acl, Outcome[frozenset[Acl]]]:
            live = self.admin.describe_acls()
            if not isinstance(live, Failure):
                progress.live = live
            return dict.fromkeys(pending, progress.live)

        def judge(
            item: _Awaited, live: Outcome[frozenset[Acl]], said: Answer | None, late: bool
        ) -> Outcome[None] | Missing[Acl, None]:
            if not isinstance(live, Failure) and (item.acl in live) is not gone:
                return None
            if late:
                not_seen = Failure(FailureKind.UNCERTAIN, f"asked for, and not {'gone' if gone else 'visible'} yet")
                return (said.unanswered if said else None) or not_seen
            # Without an answer, sending again is safe: both requests may be repeated.
            return Missing(None if is_accepted(said) else item.acl)

        def send(steps: Mapping[Acl, Acl]) -> dict[Acl, Answer | Settled[None]]:
            return answers_to(ask(steps.keys()))

        items = {item.acl: item for item in awaited}
        stopped = Failure(FailureKind.CANCELLED, "stopped before it was done")
        outcomes = self.until_settled(
            items, look, judge, send, stopped=lambda _: stopped, first={acl: acl for acl in items}
        )
        progress.errors |= {acl: f"{acl}: {why.message}" for acl, why in outcomes.items() if why is not None}

    @staticmethod
    def _applied(item: AccessChange, wanted: frozenset[Acl], progress: _Progress) -> AccessApplied:
        live = of_principal(item.principal, progress.live)
        errors = {acl: text for acl, text in progress.errors.items() if acl in item.declared | item.previous}
        missing = item.declared - live - errors.keys()
        left = (item.previous - wanted) & live - errors.keys()
        return AccessApplied(
            live,
            (
                *(errors[acl] for acl in sorted(errors)),
                *(f"{acl}: missing" for acl in sorted(missing)),
                *(f"{acl}: kept until the rest is there" for acl in sorted(left)),
            ),
        )


def of_principal(principal: str, acls: Iterable[Acl]) -> frozenset[Acl]:
    return frozenset(acl for acl in acls if acl.principal == principal)
