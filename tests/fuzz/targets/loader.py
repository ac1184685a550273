"""The loader returns a topology or located problems, whatever the bytes are. It never raises."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from fuzz.texts import texts
from kafka_topology.topology import load

_FOLDER = tempfile.TemporaryDirectory()
FILE = Path(_FOLDER.name) / "topology.yaml"


def _loads_or_reports_where(data: bytes) -> None:
    FILE.write_bytes(data)
    lines = re.split("\r\n?|\n", data.decode("utf-8-sig", "replace"))
    for environment in (None, "dev"):
        loaded = load(FILE, environment)
        assert (loaded.topology is None) == bool(loaded.problems)
        for problem in loaded.problems:
            at = problem.location
            assert problem.message
            assert problem.fix
            assert at.file == str(FILE)
            assert 1 <= at.line <= len(lines)
            assert 1 <= at.column <= len(lines[at.line - 1]) + 1
            assert (at.line, at.column) < (at.end_line, at.end_column)


@given(data=st.binary(max_size=300))
@example(data=b"\xef\xbb\xbf\xef\xbb\xbfversion: 1")
@example(data=b"\xff\xfe\x00\x00")
def fuzz_bytes(data: bytes) -> None:
    _loads_or_reports_where(data)


@given(text=texts())
def fuzz_files(text: str) -> None:
    _loads_or_reports_where(text.encode("utf-8", "surrogatepass"))
