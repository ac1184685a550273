"""What the tests of the language share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kafka_topology.topology import Loaded, Topology, load

LoadText = Callable[..., Loaded]
Resolve = Callable[..., Topology]


@pytest.fixture
def load_text(tmp_path: Path) -> LoadText:
    """Loads a text (or bytes) as the file topology.yaml of an empty folder."""

    def load_it(text: str | bytes, environment: str | None = None) -> Loaded:
        file = tmp_path / "topology.yaml"
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return load(file, environment)

    return load_it


@pytest.fixture
def resolve(load_text: LoadText) -> Resolve:
    """The topology of a text that has no problems."""

    def resolve_it(text: str, environment: str | None = None) -> Topology:
        loaded = load_text(text, environment)
        assert loaded.problems == ()
        assert loaded.topology is not None
        return loaded.topology

    return resolve_it
