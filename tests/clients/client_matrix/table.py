"""The outcomes as a Markdown table, on stdout and in docs/checks.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .rows import Row

if TYPE_CHECKING:
    from .clients import Client
    from .outcomes import Outcome

PAGE = Path(__file__).resolve().parents[3] / "docs" / "checks.md"
_MARKED = re.compile(r"(<!-- clients -->\n).*?(<!-- end of clients -->\n)", re.DOTALL)
HEAD = (
    "| client | partitioner | declare | misplaced | may be anywhere | misplaced if declared as |",
    "|---|---|---|---|---|---|",
)


def table(outcomes: Sequence[Outcome], known: Mapping[str, Client]) -> str:
    return "".join(f"{line}\n" for line in _lines(outcomes, known))


def _lines(outcomes: Sequence[Outcome], known: Mapping[str, Client]) -> Iterator[str]:
    yield from HEAD
    for outcome in outcomes:
        yield f"{head(outcome.row, known[outcome.row.client].version)} {_cells(outcome)} |"


def head(row: Row, version: str) -> str:
    """The cells that say what was tried."""
    return f"| {row.client} {version} | `{row.partitioner}` | `{row.declared}` |"


def _cells(outcome: Outcome) -> str:
    if outcome.unavailable is not None:
        return f"could not check: {_escaped(outcome.unavailable)} | | "
    if outcome.faults:
        return f"**wrong**: {_escaped('; '.join(outcome.faults))} | | "
    anywhere = f"{outcome.unjudged:,}" + (f" ({outcome.remark})" if outcome.remark else "")
    counted = [f"`{name}`: {count:,}" for name, count in outcome.wrong.items()]
    missing = [f"`{name}`: could not check, {_escaped(why)}" for name, why in outcome.unknown.items()]
    right = "0" if outcome.row.is_computable else "not checked"
    return f"{right} | {anywhere if outcome.row.is_computable else 'all'} | {', '.join(counted + missing)}"


def _escaped(text: str) -> str:
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())[:300]


def into_docs(text: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    if not _MARKED.search(page):
        raise ValueError(f"{PAGE} has no place for the table")
    PAGE.write_text(_MARKED.sub(lambda part: part[1] + text + part[2], page), encoding="utf-8")
