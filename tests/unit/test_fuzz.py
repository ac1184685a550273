"""What `make fuzz` takes, and how it divides the rounds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize("only", ["loader.bytes,nothing", "nothing", "loaders,formatter"])
def test_a_name_that_no_target_has_is_refused(only: str) -> None:
    done = _fuzz("--only", only, "--minutes", "0")
    assert done.returncode == 2, done.stdout
    assert f"no target begins with {'loaders' if 'loaders' in only else 'nothing'}: choose from" in done.stderr
    assert "git_trees.revisions" in done.stderr


def test_a_slow_target_takes_a_part_of_the_rounds() -> None:
    sys.path.insert(0, str(TESTS))
    try:
        from fuzz.runs import Target
    finally:
        sys.path.remove(str(TESTS))
    target = Target("a", lambda: None, share=0.1)
    assert [target.rounds(number) for number in (None, 1, 30, 100)] == [None, 1, 3, 10]


def _fuzz(*arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(TESTS), str(TESTS / "support")])
    command = [sys.executable, "-m", "fuzz", *arguments]
    return subprocess.run(
        command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False, timeout=600
    )
