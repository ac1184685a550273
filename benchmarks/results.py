"""What a benchmark hands over besides its table: a JSON file with goals, rows, machine and versions (`--json FILE`)."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("kafka-topology", "confluent-kafka", "kafka-python", "pulumi", "grpcio", "pyspark", "PyYAML", "click")


@dataclass(frozen=True, slots=True)
class Goal:
    """One figure with its limit: at most, or `at_least`. The unit of a ratio is `x`."""

    what: str
    measured: float
    limit: float
    unit: str = "x"
    at_least: bool = False

    @property
    def met(self) -> bool:
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit


def json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write goals and results to this file")


def save(file: Path | None, goals: Iterable[Goal], rows: Iterable[Mapping[str, object]] = ()) -> None:
    """Write the file, if one is wanted. Call it last: a file stands for a run that came to its end."""
    if file is None:
        return
    document = {
        "command": sys.argv[1:],
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "versions": versions(),
        "goals": [{**asdict(goal), "met": goal.met} for goal in goals],
        "rows": list(rows),
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def machine() -> dict[str, object]:
    """What figures depend on. The load says whether anything else ran."""
    return {
        "system": platform.platform(),
        "processor": _field(Path("/proc/cpuinfo"), "model name"),
        "cores": os.cpu_count(),
        "memory": _field(Path("/proc/meminfo"), "MemTotal"),
        "load": os.getloadavg()[0],
    }


def versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _field(file: Path, name: str) -> str | None:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), None)
