"""`kafka-topology check --incremental`: each bad record is counted once, by a check that could check."""

from __future__ import annotations

from .check import Check, judged, report

STATE = "incremental.json"
NEW = 5


class CheckIncremental(Check):
    def prepare(self, bench):
        """A first check of everything, then new records."""
        super().prepare(bench)
        (bench.folder / STATE).unlink(missing_ok=True)
        done = self.begin(bench, "first.json", "--incremental", STATE).end(self.longest)
        assert done.code == 1, done.text
        bench.notes["state"] = (bench.folder / STATE).read_text()
        bench.write_bad(NEW)

    def start(self, bench):
        return self.begin(bench, "check.json", "--incremental", STATE)

    def judge(self, bench, done):
        """One that could not check leaves the records to the next one; one that was killed may have counted them."""
        wrong = [] if done.killed else judged(report(bench, "check.json"), done, NEW, NEW)
        state = (bench.folder / STATE).read_text()
        counted = state != bench.notes["state"]
        if counted and not done.killed and done.code == 3:
            wrong.append(f"check could not check, and remembers that it did: {done.text[-1500:]}")
        (bench.folder / "check.json").unlink(missing_ok=True)
        again = self.begin(bench, "check.json", "--incremental", STATE).end(self.longest)
        if counted:
            return [*wrong, *again.faults(), *([] if again.code == 0 else [f"checked again: {again.text[-1500:]}"])]
        return [*wrong, *again.faults(), *judged(report(bench, "check.json"), again, NEW, NEW), *_ended(again)]


def _ended(done):
    return [f"the next check ended with {done.code}: {done.text[-1500:]}"] if done.code != 1 else []
