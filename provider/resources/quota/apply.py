"""Applies sets of quotas: one request changes the limits of many. Each item gets its own outcome, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from kafka_topology.cluster.attempts import one_at_a_time
from kafka_topology.cluster.live.quotas import QuotaChange
from kafka_topology.cluster.outcomes import Failure, FailureKind, Outcome

from ..converge import Answer, Applier, Missing, Settled, answers_to, cancelled, is_accepted, once_read
from ..security_admin import QuotaAdmin
from . import inputs as quotas

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafka_topology.cluster.live.quotas import Entity

    from .inputs import DeclaredQuota

Limits: TypeAlias = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class QuotaUpdate:
    """`previous` has the limits declared until now; None for a new quota, which must not differ from a live one."""

    declared: DeclaredQuota
    previous: Limits | None
    deadline: float


@dataclass(frozen=True, slots=True)
class QuotaApplier(Applier[QuotaAdmin]):
    def described(self) -> Outcome[Mapping[Entity, Limits]]:
        """The limits of all entities."""
        return self.one_answer(self.admin.describe_quotas)

    def apply(self, items: Sequence[QuotaUpdate]) -> list[Outcome[Limits]]:
        """The limits that each entity has afterwards."""
        return one_at_a_time(items, lambda item: item.declared.entity, self._apply)

    def _apply(self, items: Mapping[Entity, QuotaUpdate]) -> dict[Entity, Outcome[Limits]]:
        return self.until_settled(
            items, self._look, once_read(_judge), self._send, stopped=lambda entity: cancelled(str(entity))
        )

    def _look(self, items: Mapping[Entity, QuotaUpdate], _: object) -> dict[Entity, Outcome[Limits]]:
        live = self.admin.describe_quotas()
        return {entity: live if isinstance(live, Failure) else live.get(entity, {}) for entity in items}

    def _send(self, changes: Mapping[Entity, QuotaChange]) -> dict[Entity, Answer | Settled[Limits]]:
        return answers_to(self.admin.alter_quotas(changes))


def _judge(
    item: QuotaUpdate, live: Limits, said: Answer | None, late: bool
) -> Outcome[Limits] | Missing[QuotaChange, Limits]:
    reason = quotas.why_not_adopt(item.declared, live) if item.previous is None else None
    if reason is not None:
        return Failure(FailureKind.EXISTS, reason)
    change = quotas.plan(item.previous or {}, item.declared.limits, live)
    if not change:
        return live
    if late:
        return Failure(FailureKind.UNCERTAIN, f"{item.declared.entity}: asked for, and not visible yet.")
    # Without an answer, sending again is safe: it sets the same values.
    return Missing(None if is_accepted(said) else change)
