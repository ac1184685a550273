"""SIGSTOP of a broker, and SIGCONT a few seconds later: its connections stay open meanwhile."""

from __future__ import annotations

import signal

from ..cluster import BROKERS
from ..parts import Fault


class BrokerPaused(Fault):
    longest = 12.0

    def begin(self, bench, running):
        bench.notes["paused"] = broker = bench.chance.choice(BROKERS)
        bench.cluster.signal(broker, signal.SIGSTOP)
        return f"broker {broker}"

    def end(self, bench):
        bench.cluster.signal(bench.notes["paused"], signal.SIGCONT)
