"""Answers come late."""

from __future__ import annotations

from ..parts import Fault
from ..wire import poison


class Latency(Fault):
    def begin(self, bench, running):
        late = bench.chance.randrange(200, 2500)
        return poison(bench, "latency", ("downstream",), latency=late, jitter=late // 2)
