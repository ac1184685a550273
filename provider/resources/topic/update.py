"""Updates sets of topics: read, plan what is missing, send it, and read again until nothing is missing.

An accepted request is sent once, and then only its effect is awaited. An unanswered request is sent again, because it
may never have arrived. If the brokers then refuse it, the first one may have worked, and the next read shows that.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal

from kafka_topology.cluster.attempts import is_unanswered
from kafka_topology.cluster.live.topics import ConfigChange, LiveTopic
from kafka_topology.cluster.outcomes import Failure, FailureKind, Outcome

from ..admin import TopicAdmin
from ..converge import Applier, Missing, once_read
from . import outcomes
from .plan import TopicPlan, plan_update

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from .inputs import DeclaredTopic

Part = Literal["partitions", "config"]
_PARTS: Final[tuple[Part, ...]] = ("partitions", "config")


@dataclass(frozen=True, slots=True)
class TopicUpdate:
    declared: DeclaredTopic
    previous_config: frozenset[str]
    deadline: float


@dataclass(frozen=True, slots=True)
class _Heard:
    """The parts of one update that got an answer, those that may have arrived, and the errors of refused parts."""

    answered: frozenset[Part] = frozenset()
    unsure: frozenset[Part] = frozenset()
    errors: Mapping[Part, str] = field(default_factory=dict)

    def with_answer(self, part: Part, answer: Outcome[None]) -> _Heard:
        if is_unanswered(answer):
            return replace(self, unsure=self.unsure | {part})
        errors = {**self.errors, part: answer.message} if isinstance(answer, Failure) else self.errors
        return replace(self, answered=self.answered | {part}, errors=errors)

    def awaited(self, plan: TopicPlan) -> TopicPlan:
        """The plan without the parts that the brokers refused for good."""
        return _without(plan, self.errors.keys() - self.unsure)

    def due(self, plan: TopicPlan) -> TopicPlan:
        """The plan without the parts that the brokers answered: only their effect is awaited."""
        return _without(plan, self.answered)

    def errors_in(self, plan: TopicPlan) -> tuple[str, ...]:
        """The errors about parts that are still missing."""
        missing = {"partitions": plan.partitions is not None, "config": bool(plan.config)}
        return tuple(self.errors[part] for part in _PARTS if part in self.errors and missing[part])


_NOTHING: Final = _Heard()


@dataclass(frozen=True, slots=True)
class _Step:
    plan: TopicPlan
    heard: _Heard


@dataclass(frozen=True, slots=True)
class TopicUpdater(Applier[TopicAdmin]):
    def update(self, items: Sequence[TopicUpdate]) -> list[Outcome[outcomes.Applied]]:
        settled = self.until_settled(
            {item.declared.name: item for item in items},
            lambda pending, _: {n: _found(n, live) for n, live in self.admin.describe_topics(pending.keys()).items()},
            once_read(_judge),
            self._send,
            stopped=outcomes.stopped,
        )
        return [settled[item.declared.name] for item in items]

    def _send(self, steps: Mapping[str, _Step]) -> dict[str, _Heard]:
        heard = {name: step.heard for name, step in steps.items()}
        totals = {name: total for name, step in steps.items() if (total := step.plan.partitions)}
        for name, answer in (self.admin.create_partitions(totals) if totals else {}).items():
            heard[name] = heard[name].with_answer("partitions", answer)
        configs = {name: change for name, step in steps.items() if (change := step.plan.config)}
        for name, answer in (self.admin.alter_configs(configs) if configs else {}).items():
            heard[name] = heard[name].with_answer("config", answer)
        return heard


def _found(name: str, live: Outcome[LiveTopic]) -> Outcome[LiveTopic]:
    return outcomes.missing(name) if isinstance(live, Failure) and live.kind is FailureKind.MISSING else live


def _judge(
    item: TopicUpdate, live: LiveTopic, heard: _Heard | None, late: bool
) -> Outcome[outcomes.Applied] | Missing[_Step, outcomes.Applied]:
    plan = plan_update(item.previous_config, item.declared, live)
    if plan.refusal is not None:
        return Failure(FailureKind.REFUSED, plan.refusal)
    heard = heard or _NOTHING
    awaited = heard.awaited(plan)
    if late or not (awaited.partitions or awaited.config):
        return outcomes.updated(item.declared, live, heard.errors_in(plan))
    so_far = outcomes.updated(item.declared, live, heard.errors_in(awaited))
    return Missing(_Step(heard.due(awaited), heard), so_far)


def _without(plan: TopicPlan, parts: Collection[Part]) -> TopicPlan:
    return replace(
        plan,
        partitions=None if "partitions" in parts else plan.partitions,
        config=ConfigChange() if "config" in parts else plan.config,
    )
