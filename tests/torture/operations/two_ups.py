"""Two `pulumi up` of the same change at once, from two copies of the state."""

from __future__ import annotations

import shutil

from ..stack import WITHOUT_QUESTIONS
from .up import Up


class TwoUps(Up):
    usual = 10.0

    def prepare(self, bench):
        super().prepare(bench)
        shutil.rmtree(bench.folder / "twin", ignore_errors=True)

    def start(self, bench):
        bench.notes["twin"] = bench.stack.twin(bench.folder / "twin").begin("up", *WITHOUT_QUESTIONS)
        return super().start(bench)

    def judge(self, bench, done):
        """The other one may have been refused; it may not crash or hang, nor leave something half done."""
        twin = bench.notes["twin"].end(self.longest)
        return [*twin.faults(), *super().judge(bench, done)]
