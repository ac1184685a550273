"""Applies sets of access changes, and says what the cluster shows afterwards.

Everything that comes is made and seen before anything goes. So access that a principal has before and after is
never interrupted, and what is denied before and after is never open, whichever rules say so.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .attempts import attempts
from .outcomes import Failure, FailureKind, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from .acls import Acl
    from .security_admin import AccessAdmin


@dataclass(frozen=True, slots=True)
class AccessChange:
    """`previous` is what was declared until now: of what is not declared any more, only that goes."""

    principal: str
    declared: frozenset[Acl]
    previous: frozenset[Acl]
    deadline: float


@dataclass(frozen=True, slots=True)
class AccessApplied:
    """What the principal has on the cluster now, and what could not be done."""

    live: frozenset[Acl]
    errors: tuple[str, ...] = ()


@dataclass
class _Progress:
    """What is known of the cluster, and what went wrong with each ACL."""

    live: frozenset[Acl]
    errors: dict[Acl, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AccessApplier:
    """`pause` waits so many seconds and says whether to go on: False once the run is cancelled."""

    admin: AccessAdmin
    pause: Callable[[float], bool]
    clock: Callable[[], float] = field(default=time.monotonic)

    def apply(self, items: Sequence[AccessChange]) -> list[Outcome[AccessApplied]]:
        live = self.admin.describe_acls()
        if isinstance(live, Failure):
            return [live] * len(items)
        progress = _Progress(live)
        coming = {acl: item.deadline for item in items for acl in item.declared - live}
        self._until_shown(coming, progress, self.admin.create_acls, gone=False)
        going = {
            acl: item.deadline
            for item in items
            if item.declared <= progress.live
            for acl in (item.previous - item.declared) & live
        }
        self._until_shown(going, progress, self.admin.delete_acls, gone=True)
        return [self._applied(item, progress) for item in items]

    def _until_shown(
        self,
        wanted: Mapping[Acl, float],
        progress: _Progress,
        send: Callable[[Collection[Acl]], Mapping[Acl, Outcome[None]]],
        *,
        gone: bool,
    ) -> None:
        """Sends what has had no answer yet and looks, until all is as wanted, refused or late."""
        pending, unanswered = dict(wanted), set(wanted)
        for _ in attempts(pending, self.pause):
            # Without an answer, asking again is safe: both requests may be repeated.
            for acl, answer in (send(unanswered) if unanswered else {}).items():
                if answer is None:
                    unanswered.discard(acl)
                    continue
                progress.errors[acl] = f"{acl}: {answer.message}"
                if answer.kind is not FailureKind.UNCERTAIN:
                    unanswered.discard(acl)
                    del pending[acl]
            live = self.admin.describe_acls()
            if not isinstance(live, Failure):
                progress.live = live
            for acl in tuple(pending):
                if (acl in progress.live) is not gone:
                    progress.errors.pop(acl, None)
                elif self.clock() < pending[acl]:
                    continue
                else:
                    progress.errors.setdefault(acl, f"{acl}: asked for, and not {'gone' if gone else 'visible'} yet")
                del pending[acl]
                unanswered.discard(acl)
        progress.errors.update((acl, f"{acl}: stopped before it was done") for acl in pending)

    @staticmethod
    def _applied(item: AccessChange, progress: _Progress) -> AccessApplied:
        live = of_principal(item.principal, progress.live)
        errors = {acl: text for acl, text in progress.errors.items() if acl in item.declared | item.previous}
        missing = item.declared - live - errors.keys()
        left = (item.previous - item.declared) & live - errors.keys()
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
