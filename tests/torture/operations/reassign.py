"""`pulumi up` of another replication: replicas move while records are read and written."""

from __future__ import annotations

from dataclasses import replace

from .up import Up


class Reassign(Up):
    usual = 10.0

    def prepare(self, bench):
        bench.declared = replace(bench.declared, replicas=5 - bench.declared.replicas)
        bench.stack.declare(bench.declared.document())
