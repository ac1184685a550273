"""The loader returns a topology or located problems, whatever the bytes are. It never raises."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st
from loading import loads_or_reports_where

from fuzz.texts import texts

_FOLDER = tempfile.TemporaryDirectory()
FILE = Path(_FOLDER.name) / "topology.yaml"


@given(data=st.binary(max_size=300))
@example(data=b"\xef\xbb\xbf\xef\xbb\xbfversion: 1")
@example(data=b"\xff\xfe\x00\x00")
def fuzz_bytes(data: bytes) -> None:
    loads_or_reports_where(FILE, data)


@given(text=texts())
def fuzz_files(text: str) -> None:
    loads_or_reports_where(FILE, text.encode("utf-8", "surrogatepass"))
