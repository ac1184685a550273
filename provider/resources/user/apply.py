"""Sets and deletes credentials of sets of users. Each item gets its own outcome, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING, TypeAlias

from kafka_topology.cluster.attempts import one_at_a_time
from kafka_topology.cluster.outcomes import Failure, FailureKind, Outcome

from ..converge import Answer, Applier, Missing, Settled, answers_to, cancelled, is_accepted, once_read
from ..security_admin import UserAdmin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafka_topology.cluster.live.users import Credential

Logins: TypeAlias = Mapping[str, int]  # iterations by mechanism


@dataclass(frozen=True, slots=True)
class UserChange:
    """The credential to set first, and the mechanism to remove afterwards. Either may be None."""

    name: str
    deadline: float
    credential: Credential | None = None
    removed: str | None = None
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class _Said:
    """The answers to both requests; None while one has not been sent."""

    to_setting: Answer | None = None
    to_removing: Answer | None = None


_NOTHING = _Said()


@dataclass(frozen=True, slots=True)
class _Step:
    """Either a credential to set or a mechanism to remove, and the answers so far."""

    setting: Credential | None
    removing: str | None
    said: _Said


@dataclass(frozen=True, slots=True)
class UserApplier(Applier[UserAdmin]):
    def read(self, names: Sequence[str]) -> list[Outcome[Logins]]:
        live = self.each_answer(set(names), self.admin.describe_users)
        return [live[name] for name in names]

    def apply(self, items: Sequence[UserChange]) -> list[Outcome[Logins]]:
        """The mechanisms of each user afterwards. Kafka accepts one change of a user at a time."""
        return one_at_a_time(items, lambda item: item.name, self._apply)

    def _apply(self, items: Mapping[str, UserChange]) -> dict[str, Outcome[Logins]]:
        return self.until_settled(
            items,
            lambda pending, _: self.admin.describe_users(pending.keys()),
            once_read(_judge),
            self._send,
            stopped=lambda name: cancelled(f"user '{name}'"),
        )

    def _send(self, steps: Mapping[str, _Step]) -> dict[str, _Said | Settled[Logins]]:
        heard: dict[str, _Said | Settled[Logins]] = {}
        setting = [step.setting for step in steps.values() if step.setting is not None]
        set_: dict[str, Answer | Settled[Logins]] = answers_to(self.admin.set_credentials(setting) if setting else {})
        for name, answer in set_.items():
            heard[name] = answer if isinstance(answer, Settled) else replace(steps[name].said, to_setting=answer)
        removing = {name: step.removing for name, step in steps.items() if step.removing is not None}
        removed: dict[str, Answer | Settled[Logins]] = answers_to(
            self.admin.delete_credentials(removing) if removing else {}, accepted={FailureKind.MISSING}
        )
        for name, answer in removed.items():
            heard[name] = answer if isinstance(answer, Settled) else replace(steps[name].said, to_removing=answer)
        return heard


def _judge(item: UserChange, live: Logins, said: _Said | None, late: bool) -> Outcome[Logins] | Missing[_Step, Logins]:
    """A credential counts as set only if the request was accepted and it shows, because Kafka never shows passwords."""
    credential, removed = item.credential, item.removed
    if item.is_new and said is None and (reason := why_not_adopt(credential, live)):
        return Failure(FailureKind.EXISTS, reason)
    said = said or _NOTHING
    if credential is not None:
        if not is_accepted(said.to_setting):
            return _ask(said.to_setting, _Step(credential, None, said), late)
        if live.get(credential.mechanism) != credential.iterations:
            return _not_seen(item.name) if late else Missing()
    if removed is not None:
        if not is_accepted(said.to_removing):
            return _ask(said.to_removing, _Step(None, removed, said), late)
        if removed in live:
            return _not_seen(item.name) if late else Missing()
    return live


def _ask(said: Answer | None, step: _Step, late: bool) -> Outcome[Logins] | Missing[_Step, Logins]:
    """Without an answer, sending again is safe: it sets the same credential, or the mechanism is gone already."""
    if said is not None and said.unanswered is not None and late:
        return said.unanswered
    return Missing(step)


def why_not_adopt(credential: Credential | None, live: Logins) -> str | None:
    """A user that looks the same may come from an interrupted run, so its password is set again."""
    if credential is None or live.get(credential.mechanism, credential.iterations) == credential.iterations:
        return None
    name = quote(credential.user)
    return (
        f"user '{credential.user}' exists already and differs from the declaration (iterations of "
        f"{credential.mechanism}: declared {credential.iterations}, live {live[credential.mechanism]}). Nothing was "
        "changed, because its clients may use another password. Take it over with "
        f"'pulumi import kafka-topology:index:User {name} {name}'."
    )


def _not_seen(name: str) -> Failure:
    return Failure(
        FailureKind.UNCERTAIN, f"user '{name}': the change was accepted but does not show yet: run 'pulumi up' again."
    )
