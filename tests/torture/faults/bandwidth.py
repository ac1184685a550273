"""A few kilobytes a second, both ways."""

from __future__ import annotations

from ..parts import Fault
from ..wire import poison


class Bandwidth(Fault):
    longest = 10.0

    def begin(self, bench, running):
        return poison(bench, "bandwidth", ("upstream", "downstream"), rate=bench.chance.randrange(1, 8))
