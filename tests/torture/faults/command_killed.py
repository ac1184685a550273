"""`kill -9` of the command itself."""

from __future__ import annotations

from ..parts import Fault


class CommandKilled(Fault):
    def suits(self, operation):
        return operation.by != "pulumi"

    def begin(self, bench, running):
        return "command" if running.kill() else None
