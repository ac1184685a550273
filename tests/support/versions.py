"""Versions of a topology for reviews, each from parts of files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_topology.topology import Topology, load

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def version_of(folder: Path, *parts: str, files: Mapping[str, str]) -> Topology:
    """The topology of a new folder with a file for each part, which needs no `version`, and with these other files."""
    folder.mkdir()
    for number, part in enumerate(filter(None, parts)):
        text = f"{{version: 1, {part[1:]}" if part.startswith("{") else f"version: 1\n{part}"
        (folder / f"{number}.yaml").write_text(text)
    for name, text in files.items():
        (folder / name).write_text(text)
    loaded = load(folder)
    assert loaded.topology is not None, loaded.problems
    return loaded.topology
