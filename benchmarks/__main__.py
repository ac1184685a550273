"""Runs every benchmark and prints one table of goals.

    make bench                          all of them, at full size: hours, on a quiet machine
    make bench ARGS='--quick'           small sizes: whether they run, not how fast it is
    make bench ARGS='--only load --only validate'

Each script writes a JSON file into the folder (build/bench), with machine and versions; `goals.md` there has the table.
Ends with 1 if a script did not come to its end or, at full size, if a goal is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from results import Goal

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Script:
    """The arguments of a script, small and at full size. `--json FILE` is added."""

    quick: tuple[str, ...]
    full: tuple[str, ...] = ()


SCRIPTS = {
    "cold_start": Script(("--repeat", "3")),
    "load": Script(("--topics", "500", "--topics", "1000", "--repeat", "1")),
    "validate": Script(("--topics", "500", "--repeat", "1"), ("--topics", "10000", "--topics", "100000")),
    "review": Script(("--topics", "100", "--repeat", "1")),
    "preflight": Script(("--topics", "20", "--repeat", "1")),
    "pulumi_up": Script(("--topics", "20", "--repeat", "1"), ("--topics", "1000", "--repeat", "5")),
    "topology_resource": Script(("--topics", "20"), ("--skip-checkpoints",)),
    "spark_check": Script(("--records", "100000", "--repeat", "1", "--without-pure", "--without-connect")),
    "sampling": Script(("--records", "200000", "--repeat", "1", "--without-pure")),
    "scale": Script(("--largest", "1000000")),
}


def command_of(name: str, folder: Path, *, quick: bool) -> list[str]:
    script = SCRIPTS[name]
    words = [
        sys.executable,
        "-m",
        name,
        *(script.quick if quick else script.full),
        "--json",
        str(folder / f"{name}.json"),
    ]
    # It goes on where it was; a run of this size must not take figures of another.
    return [*words, "--results", str(folder / f"{name}-cases.json")] if name == "scale" else words


def goals_in(file: Path) -> list[Goal]:
    held = json.loads(file.read_text(encoding="utf-8"))["goals"]
    return [Goal(**{key: value for key, value in goal.items() if key != "met"}) for goal in held]


def table(found: dict[str, list[Goal]], unfinished: Iterable[str]) -> str:
    lines = ["| benchmark | goal | measured | limit | met |", "|---|---|---|---|---|"]
    for name, goals in found.items():
        for goal in goals:
            limit = f"{'at least' if goal.at_least else 'at most'} {goal.limit:g} {goal.unit}"
            met = "yes" if goal.met else "**no**"
            lines.append(f"| {name} | {goal.what} | {goal.measured:.3g} {goal.unit} | {limit} | {met} |")
    lines += [f"| {name} | came to its end | no | yes | **no** |" for name in unfinished]
    return "\n".join(lines) + "\n"


def run(names: Iterable[str], folder: Path, *, quick: bool) -> tuple[dict[str, list[Goal]], list[str]]:
    """The goals of each script, and the scripts that wrote no file. One that fails does not stop the others."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    found: dict[str, list[Goal]] = {}
    unfinished = []
    for name in names:
        file = folder / f"{name}.json"
        file.unlink(missing_ok=True)  # else an earlier run would speak for one that fails
        print(f"== {name}", flush=True)
        subprocess.run(command_of(name, folder, quick=quick), env=environment, check=False)
        if file.is_file():
            found[name] = goals_in(file)
        else:
            unfinished.append(name)
    return found, unfinished


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes; a missed goal is shown and does not fail")
    parser.add_argument("--only", action="append", choices=SCRIPTS, help="only this script; may be given several times")
    parser.add_argument("--folder", type=Path, default=Path("build/bench"), help="where the files go")
    asked = parser.parse_args(arguments)
    asked.folder.mkdir(parents=True, exist_ok=True)
    found, unfinished = run(asked.only or SCRIPTS, asked.folder, quick=asked.quick)
    text = table(found, unfinished)
    (asked.folder / "goals.md").write_text(text, encoding="utf-8")
    print(f"\n{text}")
    missed = any(not goal.met for goals in found.values() for goal in goals)
    return int(bool(unfinished) or (missed and not asked.quick))


if __name__ == "__main__":
    sys.exit(main())
