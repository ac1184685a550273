"""`pulumi destroy` of another stack on the same cluster."""

from __future__ import annotations

from ..declaration import short_lived
from ..oracle import LONGEST_UP, settled
from ..parts import Operation
from ..stack import WITHOUT_QUESTIONS


class Destroy(Operation):
    by = "pulumi"
    usual = 6.0

    def prepare(self, bench):
        bench.short.declare(short_lived(bench.turn))
        bench.short.run("up", *WITHOUT_QUESTIONS)

    def start(self, bench):
        return bench.short.begin("destroy", *WITHOUT_QUESTIONS)

    def judge(self, bench, done):
        """Done, or the next one finishes it."""
        if done.code:
            bench.short.unlock()
            again = bench.short.begin("destroy", *WITHOUT_QUESTIONS).end(LONGEST_UP)
            if again.code or again.faults():
                return [*again.faults(), f"the next destroy ended with {again.code}: {again.text[-1500:]}"]
        urns = sorted(bench.short.resources())
        return [*settled(bench, _left), *([f"destroyed, but in the state: {urns}"] if urns else [])]


def _left(bench, seen):
    names = (*seen.topics, *seen.acls, *seen.quotas)
    left = [name for name in names if name.startswith(("s.", "User:s-")) or "'s-" in name]
    return [f"destroyed, but still there: {left}"] if left else []
