"""Reads the topics of the cluster: the declared ones, and the names of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .snapshot import Asked, Observation, of_each

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...cluster.live.topics import LiveTopic
    from ...cluster.outcomes import Outcome
    from .snapshot import Survey


def _take(survey: Survey) -> Mapping[str, Outcome[LiveTopic]]:
    return survey.patient.each(survey.topology.topics, survey.cluster.describe_many_topics)


def _take_names(survey: Survey) -> Asked[frozenset[str]]:
    if survey.topology.ownership.topics is None:
        return None
    return survey.patient.one(survey.cluster.survey.topic_names)


def _take_of_applications(survey: Survey) -> Asked[Mapping[str, str]]:
    if survey.topology.ownership.topics is None:
        return None
    return survey.patient.one(survey.cluster.survey.application_topics)


TOPICS: Final = Observation("topics", _take, of_each("topics"))
"""The declared topics."""
TOPIC_NAMES: Final = Observation("topic_names", _take_names)
"""All topics that the principal can see."""
APPLICATION_TOPICS: Final = Observation("application_topics", _take_of_applications)
"""The topics that applications keep for themselves, with their owners."""
