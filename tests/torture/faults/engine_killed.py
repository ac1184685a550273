"""`kill -9` of Pulumi's engine. Its plugin must end by itself."""

from __future__ import annotations

import time

from ..parts import Fault
from ..processes import command_of, descendants

PLUGIN = "pulumi-resource-kafka-topology"
PATIENCE = 90.0


class EngineKilled(Fault):
    def suits(self, operation):
        return operation.by == "pulumi"

    def begin(self, bench, running):
        bench.notes["plugins"] = [pid for pid in descendants(running.process.pid) if PLUGIN in command_of(pid)]
        return "engine" if running.kill() else None

    def end(self, bench):
        deadline = time.monotonic() + PATIENCE
        while any(PLUGIN in command_of(pid) for pid in bench.notes.get("plugins", ())):
            if time.monotonic() > deadline:
                raise TimeoutError(f"the plugin of a killed engine runs after {PATIENCE:.0f} s")
            time.sleep(0.1)
