"""Sets and deletes credentials of sets of users. Each item gets its own outcome, in order."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from .attempts import attempts, one_at_a_time
from .outcomes import Failure, FailureKind, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .security_admin import UserAdmin
    from .users import Credential

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class UserChange:
    """What is set first, and the mechanism that goes afterwards. Either may be None."""

    name: str
    deadline: float
    credential: Credential | None = None
    removed: str | None = None
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class UserApplier:
    """`pause` waits so many seconds and says whether to go on: False once the run is cancelled."""

    admin: UserAdmin
    pause: Callable[[float], bool]
    clock: Callable[[], float] = field(default=time.monotonic)

    def read(self, names: Sequence[str]) -> list[Outcome[Mapping[str, int]]]:
        live = self.admin.describe_users(set(names))
        return [live[name] for name in names]

    def apply(self, items: Sequence[UserChange]) -> list[Outcome[Mapping[str, int]]]:
        """What each user has afterwards. Kafka takes one change of a user at a time."""
        return one_at_a_time(items, lambda item: item.name, self._apply_once)

    def _apply_once(self, by_name: Mapping[str, UserChange]) -> dict[str, Outcome[Mapping[str, int]]]:
        outcomes: dict[str, Outcome[Mapping[str, int]]] = {}
        self._refuse_others({name: item for name, item in by_name.items() if item.is_new}, outcomes)
        setting = {n: i for n, i in by_name.items() if n not in outcomes and i.credential is not None}
        self._until_done(
            setting,
            outcomes,
            lambda names: self.admin.set_credentials([c for n in names if (c := setting[n].credential) is not None]),
            lambda item, live: (
                item.credential is not None and live.get(item.credential.mechanism) == item.credential.iterations
            ),
        )
        done = {n for n in setting if not isinstance(outcomes[n], Failure)}
        removing = {n: i for n, i in by_name.items() if i.removed is not None and (n in done or n not in outcomes)}
        self._until_done(
            removing,
            outcomes,
            lambda names: self.admin.delete_credentials({n: m for n in names if (m := removing[n].removed)}),
            lambda item, live: item.removed not in live,
        )
        return outcomes

    def _refuse_others(self, items: Mapping[str, UserChange], outcomes: dict[str, Outcome[Mapping[str, int]]]) -> None:
        if not items:
            return
        for name, live in self.admin.describe_users(set(items)).items():
            if isinstance(live, Failure):
                outcomes[name] = live
            elif reason := why_not_adopt(items[name].credential, live):
                outcomes[name] = Failure(FailureKind.EXISTS, reason)

    def _until_done(
        self,
        items: Mapping[str, UserChange],
        outcomes: dict[str, Outcome[Mapping[str, int]]],
        send: Callable[[set[str]], Mapping[str, Outcome[None]]],
        is_done: Callable[[UserChange, Mapping[str, int]], bool],
    ) -> None:
        pending, unanswered = dict(items), set(items)
        for _ in attempts(pending, self.pause):
            # Without an answer, asking again is safe: the same credential is set, or is gone already.
            for name, answer in (send(unanswered) if unanswered else {}).items():
                if answer is None or answer.kind is FailureKind.MISSING:
                    unanswered.discard(name)
                elif answer.kind is not FailureKind.UNCERTAIN or self.clock() >= pending[name].deadline:
                    unanswered.discard(name)
                    del pending[name]
                    outcomes[name] = answer
            seen = set(pending) - unanswered
            for name, live in (self.admin.describe_users(seen) if seen else {}).items():
                if not isinstance(live, Failure) and is_done(pending[name], live):
                    outcomes[name] = live
                elif self.clock() >= pending[name].deadline:
                    outcomes[name] = live if isinstance(live, Failure) else _not_seen(name)
                else:
                    continue
                del pending[name]
        outcomes.update(
            (name, Failure(FailureKind.CANCELLED, f"user '{name}': stopped before it was done.")) for name in pending
        )


def why_not_adopt(credential: Credential | None, live: Mapping[str, int]) -> str | None:
    """A user that looks the same may be one that an interrupted run has made, so it is set again."""
    if credential is None or live.get(credential.mechanism, credential.iterations) == credential.iterations:
        return None
    name = credential.user
    return (
        f"user '{name}' exists already and differs from the declaration (iterations of {credential.mechanism}: "
        f"declared {credential.iterations}, live {live[credential.mechanism]}). Nothing was changed, for its clients "
        f"may use another password. Take it over with 'pulumi import kafka-topology:index:User {name} {name}'."
    )


def _not_seen(name: str) -> Failure:
    return Failure(
        FailureKind.UNCERTAIN, f"user '{name}': the change was accepted and cannot be seen yet: run 'pulumi up' again."
    )
