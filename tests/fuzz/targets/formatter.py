"""Formatting keeps what a file means, and a second run changes nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from fuzz.texts import documents, texts
from kafka_topology.topology import load
from kafka_topology.topology.writing.formatting import format_text
from kafka_topology.topology.writing.layout import CannotFormat

_FOLDER = tempfile.TemporaryDirectory()
FILE = Path(_FOLDER.name) / "topology.yaml"


def _keeps_its_meaning(text: str) -> None:
    try:
        once = format_text(text)
    except CannotFormat:
        return
    assert format_text(once) == once
    assert _nodes(once) == _nodes(text)
    before, after = _loaded(text), _loaded(once)
    assert before.topology == after.topology
    assert len(before.problems) == len(after.problems)


def _loaded(text: str) -> Any:
    FILE.write_text(text, encoding="utf-8", newline="")
    return load(FILE)


def _nodes(text: str) -> Any:
    """What YAML reads, before any tag is understood; the order of names does not count."""

    def plain(node: yaml.Node | None) -> Any:
        match node:
            case yaml.MappingNode():
                pairs = ((plain(name), plain(value)) for name, value in node.value)
                return (node.tag, sorted(pairs, key=repr))
            case yaml.SequenceNode():
                return (node.tag, [plain(item) for item in node.value])
            case yaml.ScalarNode():
                return (node.tag, node.value)
        return None

    return plain(yaml.compose(text, Loader=yaml.SafeLoader))


@given(text=texts().filter(lambda text: text.isprintable() or "\ud800" not in text))
def fuzz_files(text: str) -> None:
    _keeps_its_meaning(text)


@given(document=documents(), flow=st.sampled_from([None, False, True]), indent=st.integers(1, 6))
def fuzz_documents(document: Any, flow: bool | None, indent: int) -> None:
    _keeps_its_meaning(yaml.safe_dump(document, default_flow_style=flow, indent=indent, sort_keys=False))
