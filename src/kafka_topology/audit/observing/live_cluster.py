"""Reads the brokers and the controllers: several subjects need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from ...cluster.attempts import is_unanswered
from ...cluster.outcomes import Failure, FailureKind
from .snapshot import Observation, of_each

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from ...cluster.live.groups import Partition
    from ...cluster.live.quorum import Quorum
    from ...cluster.outcomes import Outcome
    from ...cluster.topics.reassignments import Reassignment
    from .snapshot import Survey

T = TypeVar("T")


def _take_brokers(survey: Survey) -> Outcome[Mapping[int, str | None]]:
    return survey.patient.one(survey.cluster.replicas.brokers)


def brokers_up(survey: Survey) -> tuple[int, ...]:
    """The brokers that can be asked. None if they are unknown, which another line of the report says."""
    brokers = survey.read(BROKERS)
    return () if isinstance(brokers, Failure) else tuple(sorted(brokers))


def of_each_broker(survey: Survey, ask: Callable[[Collection[int]], Mapping[int, Outcome[T]]]) -> dict[int, Outcome[T]]:
    """Asks each broker that is up. One that leaves meanwhile is missing, and not asked until the time is over."""

    def asked(brokers: Collection[int]) -> Mapping[int, Outcome[T]]:
        answers = ask(brokers)
        if not any(is_unanswered(answer) for answer in answers.values()):
            return answers
        up = survey.cluster.replicas.brokers()
        left: set[int] = set() if isinstance(up, Failure) else set(brokers) - up.keys()
        if left:
            survey.seen[BROKERS.name] = up  # or nobody would miss them
        gone = {broker: Failure(FailureKind.MISSING, f"broker {broker} has left the cluster") for broker in left}
        return {**answers, **gone}

    return survey.patient.each(brokers_up(survey), asked)


def _take_configs(survey: Survey) -> Mapping[int, Outcome[Mapping[str, str]]]:
    return of_each_broker(survey, survey.cluster.survey.broker_configs)


def _take_quorum(survey: Survey) -> Outcome[Quorum]:
    return survey.patient.one(survey.cluster.health.quorum)


def _take_reassignments(survey: Survey) -> Outcome[Mapping[Partition, Reassignment]]:
    return survey.patient.one(survey.cluster.replicas.reassignments)


BROKERS: Final = Observation("brokers", _take_brokers)
"""The rack of each broker that is up."""
BROKER_CONFIGS: Final = Observation("broker_configs", _take_configs, of_each("brokers", "the settings of"))
"""The settings in force on each broker that is up."""
QUORUM: Final = Observation("quorum", _take_quorum, is_first=True)
REASSIGNMENTS: Final = Observation("reassignments", _take_reassignments)
"""The partitions that are being moved now."""
