"""Reads of single topics, served from one look at many.

A refresh asks for every topic, a few at a time. From the second turn on, one look at all topics answers
whoever asks within a moment of it. A look is never older than that, and never older than the last write.
The moment is longer where a look takes longer: else a slow cluster would be looked at all the time.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from .outcomes import Failure, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from .admin import TopicAdmin
    from .topic_plan import LiveTopic

# How long one look answers for: far less than a refresh takes that would gain from it.
_FRESH: Final = 3.0
# At the least so many times what it took, so that a refresh spends its time on other things.
_TIMES_ITS_PRICE: Final = 5.0
# So many single reads at once, or in a row, make a look at everything worth its price.
_MANY: Final = 16


@dataclass(frozen=True, slots=True)
class _Look:
    until: float
    writes: int
    topics: Mapping[str, Outcome[LiveTopic]]


class TopicReads:
    """`wrote` must be called before and after every write."""

    def __init__(self, admin: TopicAdmin, clock: Callable[[], float] = time.monotonic) -> None:
        self._admin = admin
        self._clock = clock
        self._lock = threading.Lock()
        self._look: _Look | None = None
        self._writes = 0
        self._recent: list[float] = []

    def wrote(self) -> None:
        self._writes += 1
        self._look = None

    def read(self, names: Sequence[str]) -> list[Outcome[LiveTopic]]:
        with self._lock:  # whoever comes while a look is under way gets its answer from it, or from the next
            found = self._read(names)
        return [found[name] for name in names]

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
        """A list of all topics leaves out those that one may not see: only asked for by name they are denied."""
        seen = {name: look.topics[name] for name in names if name in look.topics}
        unseen = set(names) - seen.keys()
        return {**seen, **(self._admin.describe_topics(unseen) if unseen else {})}
