"""`make clients`: lets every client write, checks what they wrote, and prints the table.

Ends with 0 if every count is right, with 1 if one is wrong, and with 3 if a client could not be had.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from kafka_topology.local import LocalCluster

from . import run
from .checking import checker
from .clients import clients
from .keys import RANDOM, odd_keys
from .outcomes import Outcome
from .rows import ROWS
from .table import into_docs, table


def main(arguments: Sequence[str]) -> int:
    known = clients()
    parser = argparse.ArgumentParser(prog="make clients", description="Compare the record checks with real clients.")
    parser.add_argument("--docs", action="store_true", help="write the table into docs/checks.md too")
    parser.add_argument("--keys", type=int, default=RANDOM, help=f"random keys besides the odd ones [{RANDOM}]")
    parser.add_argument("--client", action="append", choices=list(known), help="only this client; repeatable")
    options = parser.parse_args(arguments)
    if options.docs and options.client:
        parser.error("--docs needs every client")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the broker is stopped
    began = time.monotonic()
    wanted = options.client or list(known)
    outcomes = matrix(wanted, odd_keys(options.keys))
    text = table(outcomes, known)
    print(text)
    if options.docs:
        into_docs(text)
    faults = sum(bool(each.faults) for each in outcomes)
    missing = sum(bool(each.unavailable or each.unknown) for each in outcomes)
    run.say(f"{len(outcomes)} rows in {time.monotonic() - began:.0f} s: {faults} wrong, {missing} could not be checked")
    return 1 if faults else 3 if missing else 0


def matrix(wanted: Sequence[str], keys: Sequence[bytes | None]) -> list[Outcome]:
    known = clients()
    outcomes = run.outcomes_of([row for row in ROWS if row.client in wanted])
    writers = run.prepared([known[name] for name in wanted])
    with tempfile.TemporaryDirectory() as name, LocalCluster(Path(name) / "kafka", delete_on_exit=True) as cluster:
        folder, bootstrap = Path(name), cluster.bootstrap_servers
        run.write_all(bootstrap, outcomes, writers, keys, folder)
        belongs = run.belongings(outcomes)
        ready = [each for each in outcomes if each.records]
        if not ready:
            return outcomes
        with checker(bootstrap, folder / "spark.log") as checking:
            run.check_right(checking, ready, folder)
            run.check_wrong(checking, ready, folder, belongs)
        run.check_by_command(bootstrap, ready, folder)
    return outcomes


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
