"""Small inputs that a pull request may hold: each ends by itself, says why, and takes few seconds and little memory."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "hostile.py"))


@pytest.mark.parametrize("name", TOOL["CASES"])
def test_a_hostile_input_is_cheap(name: str) -> None:
    cost = TOOL["measured"](name)
    # Twice the limit: on a busy machine, the same work takes more time of the processor.
    assert TOOL["complaint"](TOOL["CASES"][name], cost, 2 * TOOL["MOST_SECONDS"]) == ""


def test_the_table_has_every_case() -> None:
    text = TOOL["PAGE"].read_text()
    assert [case.about for case in TOOL["CASES"].values() if f"| {case.about} |" not in text] == []
