"""`pulumi up` of changed settings, access and quota, a new topic and a deleted one."""

from __future__ import annotations

from ..oracle import settled, unlike_declaration
from ..parts import Operation
from ..stack import WITHOUT_QUESTIONS


class Up(Operation):
    by = "pulumi"
    writes = True
    usual = 8.0

    def prepare(self, bench):
        bench.declared = bench.declared.next_revision()
        bench.stack.declare(bench.declared.document())

    def start(self, bench):
        return bench.stack.begin("up", *WITHOUT_QUESTIONS)

    def judge(self, bench, done):
        """An `up` that says it succeeded has done everything."""
        return [] if done.code or bench.drifted else settled(bench, unlike_declaration)
