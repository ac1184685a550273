"""Connections stay open, and nothing arrives on them any more."""

from __future__ import annotations

from ..parts import Fault
from ..wire import poison


class HalfOpen(Fault):
    longest = 12.0

    def begin(self, bench, running):
        return poison(bench, "timeout", ("upstream", "downstream"), timeout=0)
