"""The results as a table of faults and operations in docs/reliability.md."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from .processes import CRASHED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .parts import Fault, Operation
    from .results import Result

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
_MARKED = re.compile(r"(<!-- torture -->\n).*?(<!-- end of torture -->\n)", re.DOTALL)


def table(results: Sequence[Result], operations: Mapping[str, Operation], faults: Mapping[str, Fault]) -> str:
    hit = [result for result in results if result.hit is not None]
    tried = Counter((result.fault, result.operation) for result in hit)
    broken = Counter((result.fault, result.operation) for result in hit if result.wrong)
    lines = [f"| fault | {' | '.join(operations)} |", f"|---|{'---|' * len(operations)}"]
    for fault, described in faults.items():
        cells = []
        for name, operation in operations.items():
            if not described.suits(operation):
                cells.append("")
            else:
                wrong = broken[fault, name]
                cells.append(f"{tried[fault, name]}{f' (**{wrong} broken**)' if wrong else ''}")
        lines.append(f"| {fault} | {' | '.join(cells)} |")
    command = "Written by `make torture ARGS=--table`; do not edit."
    return f"{command}\n\n{summary(results, hit)}\n\n" + "\n".join(lines) + "\n"


def summary(results: Sequence[Result], hit: Sequence[Result]) -> str:
    seeds = ", ".join(f"{seed} ({count} turns)" for seed, count in sorted(Counter(r.seed for r in results).items()))
    wrong = [result for result in results if result.wrong]
    secured = sum(result.via == "secured" for result in hit)
    return (
        f"{len(results):,} turns of the seeds {seeds}. The fault hit a running operation in {len(hit):,} of them, "
        f"{secured:,} by the secured listener; in the others it came too late. "
        f"Turns that broke a promise: {len(wrong)}. "
        f"Acknowledged records that were read back: {sum(result.records for result in results):,}; "
        f"lost: {sum(result.lost for result in results):,}. Native crashes: {_count(wrong, CRASHED)}."
    )


def _count(wrong: Iterable[Result], words: str) -> int:
    return sum(words in fault for result in wrong for fault in result.wrong)


def into_docs(results: Sequence[Result], operations: Mapping[str, Operation], faults: Mapping[str, Fault]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    if not _MARKED.search(page):
        raise ValueError(f"{PAGE} has no place for the table")
    text = table(results, operations, faults)
    PAGE.write_text(_MARKED.sub(lambda part: part[1] + text + part[2], page), encoding="utf-8")
