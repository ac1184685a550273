"""Reads of single topics, answered from one read of all topics.

A refresh asks for every topic, a few at a time. After the first few, one read of all topics answers the calls of the
next seconds. An answer is never older than that, and never older than the last write. On a slow cluster the answers
stay valid for longer, because reading all topics takes longer.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kafka_topology.cluster.attempts import is_unanswered, until_answered
from kafka_topology.cluster.outcomes import Failure, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from kafka_topology.cluster.live.topics import LiveTopic
    from kafka_topology.provider.resources.admin import TopicAdmin

# How long a read of all topics is valid, in seconds: much shorter than a refresh that benefits from it.
_FRESH: Final = 3.0
# It is valid for at least this many times as long as it took.
_TIMES_ITS_PRICE: Final = 5.0
# More single reads than this, at once or in a row, are slower than a read of all topics.
_MANY: Final = 16


@dataclass(frozen=True, slots=True)
class _Look:
    until: float
    writes: int
    topics: Mapping[str, Outcome[LiveTopic]]


class TopicReads:
    """`wrote` must be called before and after every write.

    A read that got no answer is tried again for `patience` seconds.
    """

    def __init__(
        self,
        admin: TopicAdmin,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], bool] = lambda _: False,
        patience: float = 0.0,
    ) -> None:
        self._admin = admin
        self._clock = clock
        self._pause = pause
        self._patience = patience
        self._lock = threading.Lock()
        self._look: _Look | None = None
        self._writes = 0
        self._recent: list[float] = []

    def wrote(self) -> None:
        self._writes += 1
        self._look = None

    def read(self, names: Sequence[str]) -> list[Outcome[LiveTopic]]:
        deadline = self._clock() + self._patience
        found = until_answered(names, self._locked_read, self._pause, lambda _: self._clock() >= deadline)
        return [found[name] for name in names]

    def _locked_read(self, names: Collection[str]) -> Mapping[str, Outcome[LiveTopic]]:
        with self._lock:  # calls during a read of all topics are answered from it, or from the next
            return self._read(names)

    def _read(self, names: Collection[str]) -> Mapping[str, Outcome[LiveTopic]]:
        now = self._clock()
        self._recent = [*(at for at in self._recent if now - at < _FRESH), *(now for _ in names)]
        look = self._look
        if look is not None and look.writes == self._writes and now < look.until:
            return self._found_in(look, names)
        if len(self._recent) <= _MANY:
            return self._admin.describe_topics(set(names))
        writes = self._writes
        topics = self._admin.describe_all_topics()
        if isinstance(topics, Failure):
            return dict.fromkeys(names, topics)
        done = self._clock()
        self._look = _Look(done + max(_FRESH, (done - now) * _TIMES_ITS_PRICE), writes, topics)
        return self._found_in(self._look, names)

    def _found_in(self, look: _Look, names: Collection[str]) -> Mapping[str, Outcome[LiveTopic]]:
        """A list of all topics leaves out those that you may not describe; a request by name is denied."""
        known = {name: look.topics[name] for name in names if name in look.topics}
        seen = {name: topic for name, topic in known.items() if not is_unanswered(topic)}
        unseen = set(names) - seen.keys()
        return {**seen, **(self._admin.describe_topics(unseen) if unseen else {})}
