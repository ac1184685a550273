"""`pulumi up` of a reset: the offsets of a group move once, and those of no other group."""

from __future__ import annotations

from dataclasses import replace

from .up import Up


class Reset(Up):
    usual = 7.0

    def prepare(self, bench):
        bench.set_resting(bench.chance.randrange(1, 20))
        bench.resting = 0
        bench.declared = replace(bench.declared, ticket=f"INC-{bench.declared.revision}-{bench.turn}")
        bench.stack.declare(bench.declared.document())
