"""What came of each turn: a line of JSON, written when it is over, so that a run can be stopped and go on."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Result:
    """`hit` in words, or None when the fault came too late. `wrong` is what broke the oracle."""

    seed: int
    number: int
    operation: str
    fault: str
    via: str
    hit: str | None
    code: int
    seconds: float
    records: int
    lost: int = 0
    wrong: list[str] = field(default_factory=list)


def append(file: Path, result: Result) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as out:
        out.write(json.dumps(asdict(result)) + "\n")


def load(file: Path) -> list[Result]:
    if not file.exists():
        return []
    return [Result(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
