"""Whatever the bytes are, the loader returns a topology or located problems. It never raises."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from loading import loads_or_reports_where

SHOP = (Path(__file__).parents[3] / "data" / "shop" / "topology.yaml").read_text(encoding="utf-8")
LINES = SHOP.splitlines(keepends=True)
PIECES = [
    "version: 1\n", "topics:\n", "  t: ", "{", "}", "[", "]", ": ", ", ", "- ", "? ", "&a ", "*a", "<<: ",
    "!!str ", "|\n", ">-\n", "'", "\"", "#", "\n", "  ", "\t", "\r", "---\n", "...\n", "%YAML 1.1\n", "\ufeff",
    "\u0000", "\u2028", "\u0085", "🚀", "~", "null", "partitions: 3", "replication: 1", "profile: p",
    "profiles:\n", "extends: p", "environments:\n", "acls:\n", "rules:\n", "KT101: ", "include: [x.yaml]",
    "cluster: {brokers: [{id: 1}, {id: 1}]}", "retention: 7d", "config: {retention.ms: 1}", "key: {type: k}",
    "patterns: {k: '('}", "producers: {p: {topics: [t]}}", "users: {u: {}}", "0x1", "012", "1e400", ".nan",
]  # fmt: skip

roomy = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any") / "topology.yaml"


@roomy
@given(data=st.binary(max_size=300))
@example(data=b"\xef\xbb\xbf\xef\xbb\xbfversion: 1")
@example(data=b"\xff\xfe\x00\x00")
def test_random_bytes(file: Path, data: bytes) -> None:
    loads_or_reports_where(file, data)


@roomy
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_random_text(file: Path, text: str) -> None:
    loads_or_reports_where(file, text.encode())
    loads_or_reports_where(file, f"version: 1\ntopics: {{t: {text}}}".encode())


@roomy
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=30))
@example(pieces=["version: 1\n", "environments:\n", "  ", "dev"])
@example(pieces=["---\n", "#"])
def test_text_that_looks_like_yaml(file: Path, pieces: list[str]) -> None:
    loads_or_reports_where(file, "".join(pieces).encode())


@roomy
@given(start=st.integers(0, len(SHOP)), length=st.integers(0, 40), piece=st.sampled_from(PIECES) | st.text(max_size=5))
def test_a_real_file_with_a_piece_replaced(file: Path, start: int, length: int, piece: str) -> None:
    text = SHOP[:start] + piece + SHOP[start + length :]
    loads_or_reports_where(file, text.encode("utf-8", "replace"))


@roomy
@given(order=st.lists(st.integers(0, len(LINES) - 1), max_size=60))
def test_lines_of_a_real_file_in_any_order(file: Path, order: list[int]) -> None:
    loads_or_reports_where(file, ("version: 1\n" + "".join(LINES[number] for number in order)).encode())


@roomy
@given(first=st.integers(0, len(LINES)), second=st.integers(0, len(LINES)), indent=st.integers(0, 6))
def test_a_real_file_with_lines_moved_in_or_out(file: Path, first: int, second: int, indent: int) -> None:
    moved = [" " * indent + line.lstrip(" ") for line in LINES[first:second]]
    loads_or_reports_where(file, "".join([*LINES[:first], *moved, *LINES[second:]]).encode())
