"""Where the rows of a report's violations were written, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Written:
    """`rows` were found there after writing. `problem` says why they are not all, and what to do; None if they are."""

    path: str
    format: str
    run_id: str
    rows: int
    problem: str | None = None


def written_json(written: Written | None) -> Mapping[str, Any] | None:
    if written is None:
        return None
    return {
        "path": written.path,
        "format": written.format,
        "runId": written.run_id,
        "rows": written.rows,
        "problem": written.problem,
    }
