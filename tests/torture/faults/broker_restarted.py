"""A broker is stopped as for maintenance, and starts again while the operation goes on."""

from __future__ import annotations

import signal

from ..cluster import BROKERS
from ..parts import Fault


class BrokerRestarted(Fault):
    def begin(self, bench, running):
        broker = bench.chance.choice(BROKERS)
        bench.cluster.signal(broker, signal.SIGTERM)
        return f"broker {broker}"

    def end(self, bench):
        bench.cluster.bring_back()
