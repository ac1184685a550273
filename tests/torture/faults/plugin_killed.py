"""`kill -9` of the provider's plugin; the engine goes on."""

from __future__ import annotations

from ..parts import Fault


class PluginKilled(Fault):
    def suits(self, operation):
        return operation.by == "pulumi"

    def begin(self, bench, running):
        pids = running.kill_inside("pulumi-resource-kafka-topology")
        return f"{len(pids)} plugin" if pids else None
