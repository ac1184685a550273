"""Topologies of practice: the rules say what a reviewer would say, and nothing else."""

from __future__ import annotations

import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

TOOL = runpy.run_path(str(Path(__file__).parents[3] / "tools" / "corpus.py"))
CASES = list(TOOL["cases"]())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.file.stem)
def test_what_is_found_is_what_a_reviewer_would_say(case: Any) -> None:
    assert Counter(map(TOOL["pin"], case.findings())) == case.finds + case.noise


def test_there_are_enough_topologies_and_each_says_what_it_is() -> None:
    assert len(CASES) >= 40
    assert len({case.title for case in CASES}) == len(CASES)
    assert all(case.title.endswith(".") and not case.finds & case.noise for case in CASES)


def test_most_sensible_topologies_are_clean() -> None:
    assert sum(not case.finds for case in CASES) >= 20
