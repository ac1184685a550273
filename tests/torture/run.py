"""One turn: prepare, start the operation, break something, heal, judge."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .bench import outside
from .oracle import changed_outside, converges, settled, unlike_declaration
from .processes import end_leftovers
from .records import Records
from .results import Result

if TYPE_CHECKING:
    from .bench import Bench
    from .parts import Fault, Operation
    from .plan import Turn
    from .processes import Running


@dataclass
class Outcome:
    hit: str | None = None
    code: int = 0
    wrong: list[str] = field(default_factory=list)


class Runner:
    def __init__(self, bench: Bench, operations: dict[str, Operation], faults: dict[str, Fault]) -> None:
        self.bench = bench
        self.operations = operations
        self.faults = faults
        self.records = Records(bench)
        self.usual = {name: operation.usual for name, operation in operations.items()}

    def play(self, turn: Turn) -> Result:
        """Its result; an exception of a part of the torture is a broken promise until somebody has looked."""
        began = time.monotonic()
        before, lost = self.records.count, self.records.lost
        outcome = Outcome()
        try:
            self._play(turn, outcome)
        except Exception as error:  # noqa: BLE001 - the next turn goes on
            outcome.wrong.append(f"torture: {type(error).__name__}: {str(error)[:1500]}")
        outcome.wrong += end_leftovers()
        if outcome.wrong:
            self._recover(outcome)
        return Result(
            turn.seed,
            turn.number,
            turn.operation,
            turn.fault,
            turn.via,
            outcome.hit,
            outcome.code,
            seconds=round(time.monotonic() - began, 1),
            records=self.records.count - before,
            lost=self.records.lost - lost,
            wrong=outcome.wrong,
        )

    def _play(self, turn: Turn, outcome: Outcome) -> None:
        bench, operation, fault = self.bench, self.operations[turn.operation], self.faults[turn.fault]
        bench.chance = random.Random(turn.draw)  # noqa: S311
        bench.turn = turn.number
        bench.drifted = False
        bench.notes.clear()
        bench.reach(turn.via)
        operation.prepare(bench)
        running = operation.start(bench)
        running.wait(turn.moment * self.usual[turn.operation])
        if running.runs:
            outcome.hit = self._break(fault, running, turn.lasts)
        done = running.end(operation.longest)
        bench.cluster.bring_back()
        outcome.code = -9 if done.killed else done.code
        if outcome.hit is None:  # else it says how long a fault takes
            self.usual[turn.operation] = done.seconds
        wrong = outcome.wrong
        wrong += [*done.faults(), *operation.judge(bench, done)]
        writes = operation.writes or bench.drifted
        wrong += converges(bench) if writes else settled(bench, unlike_declaration)
        wrong += settled(bench, changed_outside)
        wrong += self.records.faults()

    def _break(self, fault: Fault, running: Running, lasts: float) -> str | None:
        """What the fault hit; None when the operation was over first. Everything is healed afterwards."""
        bench = self.bench
        try:
            hit = fault.begin(bench, running)
            if hit is None or not (running.runs or running.killed):
                return None
            running.wait(lasts)
        finally:
            fault.end(bench)
            bench.toxiproxy.heal()
        return hit

    def _recover(self, outcome: Outcome) -> None:
        """So that what is wrong now is not found in every later turn again."""
        bench = self.bench
        try:
            bench.toxiproxy.heal()
            bench.cluster.bring_back()
            bench.drifted = True
            outcome.wrong += [f"not even with --refresh: {line}" for line in converges(bench)]
            end_leftovers()
            bench.outside = outside(bench.seen())
        except Exception as error:  # noqa: BLE001
            outcome.wrong.append(f"torture: cannot recover: {type(error).__name__}: {str(error)[:1500]}")
