"""Commands under faults, repeatable by a seed.

make torture SEED=7 MINUTES=60                   an hour of turns
make torture SEED=7 MINUTES=60 ARGS='--operation up --fault broker-killed'
python -m torture --list                         the operations and faults
python -m torture --table                        write docs/reliability.md from the results so far

Results go to a file, a line for each turn, so a run that was stopped goes on where it was. The exit code is 1 when a
turn of this run broke a promise.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from .bench import prepared
from .parts import all_faults, all_operations
from .plan import turns
from .results import append, load
from .run import Runner
from .table import into_docs

T = TypeVar("T")


def main() -> int:
    asked = arguments()
    operations, faults = all_operations(), all_faults()
    if asked.list:
        print("operations:", *operations, "\nfaults:", *faults)
        return 0
    if asked.table:
        found = load(asked.results)
        if not found:
            sys.exit(f"{asked.results} holds no results, so the table stays as it is: run some turns first")
        into_docs(found, operations, faults)
        return 0
    operations = chosen(operations, asked.operation)
    faults = chosen(faults, asked.fault)
    done = {(one.number, one.operation, one.fault) for one in load(asked.results) if one.seed == asked.seed}
    planned = islice(turns(asked.seed, operations, faults), asked.first, None)
    left = (turn for turn in planned if (turn.number, turn.operation, turn.fault) not in done)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that brokers, proxies and disks are taken down
    broken = 0
    with (
        tempfile.TemporaryDirectory(prefix="torture-", ignore_cleanup_errors=True) as folder,
        prepared(Path(folder)) as bench,
    ):
        runner = Runner(bench, operations, faults)
        deadline = time.monotonic() + asked.minutes * 60
        for turn in islice(left, asked.turns):
            if time.monotonic() > deadline:
                break
            result = runner.play(turn)
            append(asked.results, result)
            broken += bool(result.wrong)
            outcome = "; ".join(result.wrong) or "as promised"
            what = f"{turn.operation}, {turn.fault} by {turn.via} ({result.hit or 'too late'})"
            print(f"{turn.seed}/{turn.number} {what}: {result.code}, {result.seconds:.0f} s, {outcome}", flush=True)
            if result.wrong and asked.stop:
                break
    return 1 if broken else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=10.0, help="begin no turn after this time")
    parser.add_argument("--turns", type=int, help="end after this many turns")
    parser.add_argument("--first", type=int, default=0, help="begin with this turn of the seed")
    parser.add_argument("--operation", action="append", default=[], help="only this one; repeatable")
    parser.add_argument("--fault", action="append", default=[], help="only this one; repeatable")
    parser.add_argument("--stop", action="store_true", help="end after the first turn that broke a promise")
    parser.add_argument("--results", type=Path, default=Path("build/torture.jsonl"))
    parser.add_argument("--table", action="store_true", help="run nothing, write the table from the results")
    parser.add_argument("--list", action="store_true", help="run nothing, list the operations and faults")
    return parser.parse_args()


def chosen(known: dict[str, T], names: list[str]) -> dict[str, T]:
    unknown = sorted(set(names) - set(known))
    if unknown:
        sys.exit(f"unknown: {', '.join(unknown)}; known: {', '.join(known)}")
    return {name: known[name] for name in names} if names else known


if __name__ == "__main__":
    sys.exit(main())
