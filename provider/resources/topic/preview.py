"""Lets the brokers validate the requests of a run in its preview, without changing anything."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kafka_topology.cluster.attempts import until_answered
from kafka_topology.cluster.outcomes import FailureKind, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from kafka_topology.provider.resources.admin import TopicAdmin

    from .apply import TopicCreation
    from .plan import TopicPlan


@dataclass(frozen=True, slots=True)
class TopicToUpdate:
    name: str
    plan: TopicPlan
    deadline: float


@dataclass(frozen=True, slots=True)
class TopicPreviewer:
    """Repeats unanswered requests until their deadlines."""

    admin: TopicAdmin
    pause: Callable[[float], bool]
    clock: Callable[[], float] = field(default=time.monotonic)

    def creations(self, items: Sequence[TopicCreation]) -> list[Outcome[None]]:
        """Ignores topics that exist by then: the run adopts or refuses them."""
        by_name = {item.declared.name: item for item in items}

        def ask(names: Collection[str]) -> dict[str, Outcome[None]]:
            answers = self.admin.create_topics([by_name[name].declared for name in names], validate_only=True)
            return {name: None if _exists(answer) else answer for name, answer in answers.items()}

        found = until_answered(by_name, ask, self.pause, lambda name: self.clock() >= by_name[name].deadline)
        return [found[item.declared.name] for item in items]

    def updates(self, items: Sequence[TopicToUpdate]) -> list[Outcome[None]]:
        """Returns the first refusal of each plan."""
        by_name = {item.name: item for item in items}

        def ask(names: Collection[str]) -> dict[str, Outcome[None]]:
            plans = {name: by_name[name].plan for name in names}
            totals = {name: plan.partitions for name, plan in plans.items() if plan.partitions}
            configs = {name: plan.config for name, plan in plans.items() if plan.config}
            partitions = self.admin.create_partitions(totals, validate_only=True) if totals else {}
            settings = self.admin.alter_configs(configs, validate_only=True) if configs else {}
            return {name: partitions.get(name) or settings.get(name) for name in names}

        found = until_answered(by_name, ask, self.pause, lambda name: self.clock() >= by_name[name].deadline)
        return [found[item.name] for item in items]


def _exists(answer: Outcome[None]) -> bool:
    return answer is not None and answer.kind is FailureKind.EXISTS
