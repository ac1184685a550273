"""Topology files as people and attackers write them: real ones with pieces, values and names replaced."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]
PIECES = [
    "version: 1\n", "topics:\n", "  t: ", "{", "}", "[", "]", ": ", ", ", "- ", "? ", "&a ", "*a", "<<: *a", "!!str ",
    "!!binary ", "|\n", ">-\n", "|+2\n", "'", '"', "#", " # c", "\n", "\n\n", "  ", "\t", "\r", "\r\n", "---\n",
    "...\n", "%YAML 1.1\n", "\ufeff", "\0", "\x1b[31m", "\x85", "\u2028", "\u202e", "🚀", "\ud800", "~", "null",
    "forEach: {a: [1]}", "extends: p", "include: [x.yaml]", "retention: 7d", "config: {retention.ms: 1}", "0x1",
    "012", "1e400", ".nan",
    "acks: all", "${a}", "# kafka-topology: ignore KT101", "partitions: 3", "partitions: 99999999999999999999",
]  # fmt: skip
ODD: list[Any] = [
    None, True, False, 0, 1, -1, 3, 2**31, 2**63, 10**30, 0.5, -0.0, 1e300, "", " ", "0", "1", "no", "~", "7d", "-1d",
    "1e9999d", "10GiB", "forever", "a b", "a\nb", "ä", "\x1b[2J", "\u202eabc", "x" * 300, "*", "..", "../x", "a.b",
    "all", "-1", "${x}", "{{x}}", "::error::x", "##[error]x", "<b>", "|", "`", "__consumer_offsets", "User:*",
    [], {}, [[]],
    [None], {"a": None}, {"": 1}, ["a", "a"], {"type": "string"}, {"field": "id", "type": "uuid"},
]  # fmt: skip
ODD_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@cache
def real_files() -> tuple[str, ...]:
    """Topologies of the examples and of the tests."""
    found = [
        *(ROOT / "examples").rglob("*.yaml"),
        *(ROOT / "topology").glob("*.yaml"),
        *(ROOT / "tests/data").rglob("*.yaml"),
    ]
    texts = (file.read_text(encoding="utf-8") for file in sorted(found))
    return tuple(text for text in texts if "version: 1" in text and len(text) < 8_000)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A real file with some pieces replaced, lines moved, or one of its halves followed by half of another."""
    text = draw(st.sampled_from(real_files()))
    for _ in range(draw(st.integers(1, 4))):
        lines = text.splitlines(keepends=True) or [""]
        at = draw(st.integers(0, len(lines) - 1))
        match draw(st.sampled_from(["piece", "line", "move", "indent", "drop", "join", "text"])):
            case "piece" | "text" as kind:
                piece = draw(st.sampled_from(PIECES) if kind == "piece" else ODD_TEXT)
                start = draw(st.integers(0, len(text)))
                text = text[:start] + piece + text[start + draw(st.integers(0, 12)) :]
                continue
            case "line":
                lines.insert(at, lines[draw(st.integers(0, len(lines) - 1))])
            case "move":
                lines.insert(draw(st.integers(0, len(lines) - 1)), lines.pop(at))
            case "indent":
                lines[at] = " " * draw(st.integers(0, 8)) + lines[at].lstrip(" ")
            case "drop":
                del lines[at : at + draw(st.integers(1, 5))]
            case "join":
                other = draw(st.sampled_from(real_files())).splitlines(keepends=True)
                lines = lines[:at] + other[draw(st.integers(0, len(other))) :]
        text = "".join(lines)
    return text


@st.composite
def documents(draw: st.DrawFn) -> Any:
    """A real topology with a few values replaced, names changed and entries moved, as data."""
    document = copy.deepcopy(draw(st.sampled_from(_real_documents())))
    for _ in range(draw(st.integers(1, 4))):
        place, inside = document, document
        while isinstance(inside, dict | list) and inside and draw(st.integers(0, 5)):
            place = inside
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            name = draw(st.sampled_from(keys))
            inside = place[name]
        if place is inside:
            continue
        match draw(st.sampled_from(["value", "value", "text", "drop", "name", "copy"])):
            case "value":
                place[name] = copy.deepcopy(draw(st.sampled_from(ODD)))
            case "text":
                place[name] = draw(ODD_TEXT)
            case "drop":
                del place[name]
            case "name" if isinstance(place, dict):
                place[draw(st.sampled_from(_names()) | ODD_TEXT)] = place.pop(name)
            case _:
                other = draw(st.sampled_from(_real_documents()))
                section = draw(st.sampled_from(sorted(other)))
                document[section] = copy.deepcopy(other[section])
    return document


@cache
def _real_documents() -> tuple[Any, ...]:
    return tuple(found for found in map(yaml.safe_load, real_files()) if isinstance(found, dict))


@cache
def _names() -> tuple[str, ...]:
    """All names in the real files."""
    names: set[str] = set()
    left: list[Any] = list(_real_documents())
    while left:
        match left.pop():
            case dict() as found:
                names |= {name for name in found if isinstance(name, str)}
                left += found.values()
            case list() as found:
                left += found
    return tuple(sorted(names))
