"""Where the next incremental check continues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..reading.ranges import Pinned, Unreadable
from ..reading.state import State, TopicState
from ..results.report import Report


def advanced(state: State, pinned: Mapping[str, Pinned | Unreadable], report: Report) -> State:
    """The state after this report. Topics that could not be read, or were not asked for, keep theirs."""
    cluster, topics = state.cluster, dict(state.topics)
    for topic in report.topics:
        identity = getattr(pinned.get(topic.topic), "identity", None)
        if topic.unreadable is not None or identity is None:
            continue
        cluster = identity.cluster
        ends = {scanned.pinned.partition: scanned.pinned.end for scanned in topic.ranges}
        topics[topic.topic] = TopicState(identity.topic, ends)
    return replace(state, cluster=cluster, topics=topics)
