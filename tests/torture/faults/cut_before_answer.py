"""Connections end in the middle of an answer: the broker has acted, and the client does not know."""

from __future__ import annotations

from ..parts import Fault
from ..wire import poison


class CutBeforeAnswer(Fault):
    def begin(self, bench, running):
        return poison(bench, "limit_data", ("downstream",), bytes=bench.chance.randrange(0, 400))
