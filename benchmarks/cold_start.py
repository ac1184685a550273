"""How long a command takes from nothing to its result, against Python itself and `--version` in the same run.

    python benchmarks/cold_start.py
    python benchmarks/cold_start.py --topics 10 --repeat 15 --json cold-start.json

Each run is a process of its own. The commands take turns, so a busy moment hits all of them, and the median counts.
`seconds` is elapsed time, `cpu` processor time. Bytecode is compiled before the first run, as in an installed package.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from load import write_topology
from results import Goal, json_option, save

LIMIT = 0.25  # seconds that `validate` may take
GROUP = [sys.executable, "-c", "from kafka_topology.cli.entry import main; main()"]


@dataclass(frozen=True)
class Measured:
    seconds: float
    cpu: float


def commands(folder: Path, topics: int) -> dict[str, list[str]]:
    file = folder / "topology.yaml"
    write_topology(file, topics)
    other = folder / "other.yaml"
    other.write_text(file.read_text(encoding="utf-8").replace("partitions: 12", "partitions: 24"), encoding="utf-8")
    return {
        "python -c pass": [sys.executable, "-c", "pass"],
        "--version": [*GROUP, "--version"],
        "validate": [*GROUP, "validate", str(file)],
        "fmt --check": [*GROUP, "fmt", "--check", str(file)],
        "show": [*GROUP, "show", str(file)],
        "explain": [*GROUP, "explain", "KT101"],
        "rules": [*GROUP, "rules"],
        "diff": [*GROUP, "diff", str(file), str(other)],
    }


def once(command: list[str], environment: dict[str, str]) -> Measured:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in (0, 1), done.stderr.decode()
    return Measured(seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def measure(topics: int, repeat: int) -> dict[str, Measured]:
    with tempfile.TemporaryDirectory() as folder:
        # A folder of its own for bytecode: writing it may be off, and then every run would compile again.
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": f"{folder}/bytecode"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        wanted = commands(Path(folder), topics)
        for command in wanted.values():
            once(command, environment)
        runs: dict[str, list[Measured]] = {name: [] for name in wanted}
        for _ in range(repeat):
            for name, command in wanted.items():
                runs[name].append(once(command, environment))
    return {
        name: Measured(statistics.median(run.seconds for run in each), statistics.median(run.cpu for run in each))
        for name, each in runs.items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, default=10, help="how many topics the files declare")
    parser.add_argument("--repeat", type=int, default=11, help="runs of each command, of which the median counts")
    json_option(parser)
    asked = parser.parse_args()
    found = measure(asked.topics, asked.repeat)
    bare, version = found["python -c pass"], found["--version"]
    print(f"{'':16} {'seconds':>9} {'cpu':>9} {'x python':>9} {'x version':>9}")
    rows = []
    for name, each in found.items():
        of_python, of_version = each.cpu / bare.cpu, each.cpu / version.cpu
        rows.append({"command": name, "seconds": each.seconds, "cpu": each.cpu})
        rows[-1] |= {"ofPython": of_python, "ofVersion": of_version}
        print(f"{name:16} {each.seconds:9.3f} {each.cpu:9.3f} {of_python:9.1f} {of_version:9.1f}")
    goal = Goal(f"validate of {asked.topics} topics, cold", found["validate"].seconds, LIMIT, "s")
    print(f"{goal.what}: {goal.measured:.2f} s, at most {LIMIT} s: {'met' if goal.met else 'missed'}")
    save(asked.json, [goal], rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
