"""`kill -9` of a broker, which stays away until the operation has ended."""

from __future__ import annotations

from ..cluster import BROKERS
from ..parts import Fault


class BrokerKilled(Fault):
    def begin(self, bench, running):
        broker = bench.chance.choice(BROKERS)
        bench.cluster.kill(broker)
        return f"broker {broker}"
