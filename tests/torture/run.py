"""One turn: prepare, start the operation, break something, heal, judge."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from .oracle import Records, changed_outside, converges, unlike_declaration
from .results import Result

if TYPE_CHECKING:
    from .bench import Bench
    from .parts import Fault, Operation
    from .plan import Turn


class Runner:
    def __init__(self, bench: Bench, operations: dict[str, Operation], faults: dict[str, Fault]) -> None:
        self.bench = bench
        self.operations = operations
        self.faults = faults
        self.records = Records(bench)
        self.usual = {name: operation.usual for name, operation in operations.items()}

    def play(self, turn: Turn) -> Result:
        began = time.monotonic()
        bench, operation, fault = self.bench, self.operations[turn.operation], self.faults[turn.fault]
        bench.chance = random.Random(turn.draw)  # noqa: S311
        bench.turn = turn.number
        bench.reach(turn.via)
        operation.prepare(bench)
        running = operation.start(bench)
        running.wait(turn.moment * self.usual[turn.operation])
        hit = fault.begin(bench, running) if running.runs else None
        if hit is not None:
            running.wait(turn.lasts)
            fault.end(bench)
            bench.toxiproxy.heal()
        done = running.end(operation.longest)
        bench.cluster.bring_back()
        if hit is None:  # else it says how long a fault takes
            self.usual[turn.operation] = done.seconds
        wrong = [*done.faults(), *operation.judge(bench, done)]
        wrong += converges(bench) if operation.writes else unlike_declaration(bench, bench.seen())
        wrong += changed_outside(bench, bench.seen())
        before = self.records.count
        wrong += self.records.faults()
        return Result(
            turn.seed,
            turn.number,
            turn.operation,
            turn.fault,
            turn.via,
            hit,
            -9 if done.killed else done.code,
            round(time.monotonic() - began, 1),
            self.records.count - before,
            wrong,
        )
