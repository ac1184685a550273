"""What must hold of the loader, whatever the bytes of a file are."""

from __future__ import annotations

import re
from pathlib import Path

from kafka_topology.topology import load


def loads_or_reports_where(file: Path, data: bytes) -> None:
    """A topology, or problems with a place in the file."""
    file.write_bytes(data)
    lines = re.split("\r\n?|\n", data.decode("utf-8-sig", "replace"))
    for environment in (None, "dev"):
        loaded = load(file, environment)
        assert (loaded.topology is None) == bool(loaded.problems)
        for problem in loaded.problems:
            at = problem.location
            assert problem.message
            assert problem.fix
            assert at.file == str(file)
            assert 1 <= at.line <= len(lines)
            assert 1 <= at.column <= len(lines[at.line - 1]) + 1
            assert (at.line, at.column) < (at.end_line, at.end_column)
