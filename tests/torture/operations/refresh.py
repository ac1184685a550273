"""`pulumi refresh`, which must not take for gone or changed what it could not read."""

from __future__ import annotations

from ..parts import Operation
from ..stack import WITHOUT_QUESTIONS


class Refresh(Operation):
    by = "pulumi"
    writes = True
    usual = 6.0

    def prepare(self, bench):
        bench.notes["state"] = bench.stack.resources()

    def start(self, bench):
        return bench.stack.begin("refresh", *WITHOUT_QUESTIONS)

    def judge(self, bench, done):
        bench.stack.unlock()
        before, after = bench.notes["state"], bench.stack.resources()
        gone = sorted(set(before) - set(after))
        if gone:
            return [f"refresh ended with {done.code} and took these for gone: {gone}"]
        changed = {urn: (before[urn], after[urn]) for urn in before if before[urn] != after[urn]}
        if changed and not bench.drifted:
            return [f"refresh ended with {done.code} and changed the state: {str(changed)[:1500]}"]
        return []
