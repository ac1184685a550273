"""Reads the topics where Kafka keeps its own state. Those that do not exist yet are missing, which is no finding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafka_topology.topology.kafka.names import KAFKA_TOPICS

from .snapshot import Observation, of_each

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...cluster.live.topics import LiveTopic
    from ...cluster.outcomes import Outcome
    from .snapshot import Survey

_NO_TOPIC: Final = "__cluster_metadata"  # the log of the controllers, which brokers do not describe


def _take(survey: Survey) -> Mapping[str, Outcome[LiveTopic]]:
    names = [name for name in KAFKA_TOPICS if name != _NO_TOPIC]
    return survey.patient.each(names, survey.cluster.describe_many_topics)


OWN_TOPICS: Final = Observation("own_topics", _take, of_each("topics of Kafka's own"))
