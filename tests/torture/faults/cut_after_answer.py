"""Connections are reset a moment after they were opened, when some answers have arrived."""

from __future__ import annotations

from ..parts import Fault
from ..wire import poison


class CutAfterAnswer(Fault):
    def begin(self, bench, running):
        return poison(bench, "reset_peer", ("downstream",), timeout=bench.chance.randrange(50, 800))
