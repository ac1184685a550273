"""How checks grow with records and keys, within the default memory, and a model for sizes that nobody can try here.

make scale                                       1, 5 and 20 million records, 10 thousand to 10 million keys
make scale ARGS='--largest 1000000'              a small run, to try it
make scale ARGS='--faults'                       also 20 million records with planted faults, counted exactly
make scale ARGS='--only-faults'                  nothing but those
make scale ARGS='--predict --records 1e9 --keys 1e8 --executors 10 --cores 4 --heap 8e9 --partitions 200'

Each case runs in a Spark of its own, with the 2 GB that `check` gives it, on a broker of this machine whose topics are
deleted afterwards. Results go to a file, so a run that was stopped goes on where it was. On a busy machine compare
processor time: it is that of Spark's process, without the broker's.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from results import json_option, save

from kafka_topology.local import LocalCluster

from .expected import broken
from .model import constants_of, predicted, spilled_bytes, told
from .topics import Size, write, written

MILLION = 1_000_000
FEW = 10_000  # keys
# With room for so few keys, most records of the case are spilled.
LITTLE_ROOM = 250_000
HEAP = 2 << 30  # what `check` gives Spark
Results = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """What is run of a topic: `cores` of this machine, and with room for `most_keys` if not for all."""

    size: Size
    cores: int = 2
    most_keys: int | None = None
    bare: bool = True

    @property
    def name(self) -> str:
        size = self.size
        room = "" if self.most_keys is None else f" room {self.most_keys}"
        faults = f" faults {size.faults}" if size.faults else ""
        return f"{size.records} records {size.keys} keys {size.partitions} partitions {self.cores} cores{room}{faults}"


def growth(largest: int) -> list[Case]:
    sizes = [size for size in (MILLION, 5 * MILLION, 20 * MILLION) if size <= largest]
    return [Case(Size(size, keys)) for size in sizes for keys in (FEW, size // 2)]


def for_model(largest: int) -> list[Case]:
    """The first five give the constants, the others are predicted."""
    middle = min(5 * MILLION, largest)
    small, many = Size(middle // 5, FEW), Size(middle, middle // 2)
    return [
        Case(small, cores=1, bare=False),
        Case(Size(middle, FEW), cores=1, bare=False),
        Case(many, cores=1, bare=False),
        Case(many, cores=1, most_keys=LITTLE_ROOM * middle // (5 * MILLION), bare=False),
        Case(Size(middle // 5, FEW, partitions=100), cores=1, bare=False),
        Case(Size(2 * middle, FEW), cores=1, bare=False),
        Case(Size(2 * middle, FEW), cores=2, bare=False),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    json_option(parser)
    parser.add_argument("--results", type=Path, default=Path("build/scale.json"))
    parser.add_argument("--largest", type=int, default=20 * MILLION)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--faults", action="store_true", help="also a topic with planted faults, which takes longest")
    parser.add_argument("--only-faults", action="store_true", help="only that topic")
    parser.add_argument("--report", action="store_true", help="measure nothing, print what the file has")
    parser.add_argument("--predict", action="store_true", help="measure nothing, predict from the file's constants")
    numbers = {"records": 1e9, "keys": 1e8, "executors": 10, "cores": 4, "heap": 8e9, "partitions": 200}
    for name, value in numbers.items():
        parser.add_argument(f"--{name}", type=float, default=value, help=f"to predict; {value:g} by default")
    asked = parser.parse_args()
    grown, modelled = growth(asked.largest), for_model(asked.largest)
    planted = [Case(Size(asked.largest, asked.largest // 2, faults=1_000), bare=False)]
    if asked.only_faults:
        measure(planted, asked.results, asked.repeat)
        return judged(read(asked.results), planted)
    if not asked.report and not asked.predict:
        measure([*grown, *modelled, *(planted if asked.faults else ())], asked.results, asked.repeat)
    results = read(asked.results)
    if any(case.name not in results for case in modelled[:5]):
        print(
            f"{asked.results} does not hold the measurements that give the constants: run make scale", file=sys.stderr
        )
        return 1
    if asked.predict:
        told(constants_of(results, modelled), asked)
        return 0
    print(table(results, grown))
    print(doubling(results, modelled, grown))
    save(asked.json, (), [{"case": name, **found} for name, found in results.items()])
    return judged(results, [*grown, *planted])


def judged(results: Results, cases: list[Case]) -> int:
    """The exit code. Faults take time of their own, so a topic with them says nothing about growth."""
    wrong = list(broken(results, cases))
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    return 1 if wrong else 0


def read(path: Path) -> Results:
    """What was measured so far."""
    results: Results = json.loads(path.read_text()) if path.exists() else {}
    return results


def measure(cases: list[Case], path: Path, repeat: int) -> None:
    results = read(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, LocalCluster(Path(folder, "kafka"), brokers=1) as kafka:
        servers = kafka.bootstrap_servers
        write(servers, "scale.warm", Size(200_000, 20_000))
        for size in dict.fromkeys(case.size for case in cases):
            left = [case for case in cases if case.size == size and case.name not in results]
            if not left:
                continue
            with written(servers, Path(folder), size) as topic:
                for case in left:
                    found = topic.checked(cores=case.cores, repeat=repeat, most_keys=case.most_keys, bare=case.bare)
                    assert_right(case, found)
                    results[case.name] = found
                    path.write_text(json.dumps(results, indent=1))
                    print(f"  {case.name}: {found['checkCpu']:.1f} s cpu", file=sys.stderr, flush=True)


def assert_right(case: Case, found: Any) -> None:
    faults = case.size.faults
    checks = {name: violations for name, (_, violations, _) in found["checks"].items()}
    assert found["records"] == case.size.records + 4 * faults, found
    assert all(status == "exact" for status, _, _ in found["checks"].values()), found
    wanted = {"placement": faults, "key-type": faults, "single-partition": faults, "order": 2 * faults, "compaction": 0}
    assert {name: checks[name] for name in wanted} == wanted, checks
    metrics = found["checks"]["compaction"][2]
    assert metrics["duplicates"] == faults, metrics
    assert found["checks"]["cardinality"][2]["distinctKeysAtLeast"] == case.size.keys + faults, found


def table(results: Results, cases: list[Case]) -> str:
    rows = [
        "| records | keys | time | of bare | processor time | of bare | for a record | spilled | peak memory |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for case in cases:
        if case.name not in results:
            continue
        found = results[case.name]
        cells = (
            f"{case.size.records:,}",
            f"{case.size.keys:,}",
            f"{found['checkSeconds']:.1f} s",
            f"{found['checkSeconds'] / found['bareSeconds']:.2f}",
            f"{found['checkCpu']:.1f} s",
            f"{found['checkCpu'] / found['bareCpu']:.2f}",
            f"{found['checkCpu'] / found['records'] * 1e6:.2f} µs",
            f"{found['spilled'] / 1e6:,.0f} MB",
            f"{found['peak'] / 1e9:.2f} GB",
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def doubling(results: Results, cases: list[Case], grown: list[Case]) -> str:
    constants = constants_of(results, cases)
    rows = [
        "| records | keys | cores | predicted | measured | error | spilled, predicted | measured |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for case in (*cases[5:], *grown[1:]):
        if case.name not in results:
            continue
        found = results[case.name]
        size = case.size
        spilled = spilled_bytes(size.records, size.keys, size.partitions, case.cores, HEAP)
        guess = predicted(constants, size.records, size.keys, size.partitions, spilled)
        error = guess / found["checkCpu"] - 1
        what = f"{size.records:,} | {size.keys:,} | {case.cores}"
        disk = f"{spilled / 1e6:,.0f} MB | {found['spilled'] / 1e6:,.0f} MB"
        rows.append(f"| {what} | {guess:.1f} s | {found['checkCpu']:.1f} s | {error:+.0%} | {disk} |")
    return f"{constants}\n\n" + "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
