"""The active controller is stopped, so another node becomes it."""

from __future__ import annotations

import signal

from ..parts import Fault


class ControllerMoved(Fault):
    def begin(self, bench, running):
        broker = bench.cluster.controller()
        bench.cluster.signal(broker, signal.SIGTERM)
        return f"controller {broker}"
