"""Names that start with `x-` hold YAML anchors. Nobody reads them, and nobody drops them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kafka_topology.fixing.fixes import find_fixes
from kafka_topology.topology import Loaded, Topology
from kafka_topology.topology.writing.formatting import format_text
from kafka_topology.topology.writing.show import as_plain

LoadText = Callable[..., Loaded]
Resolve = Callable[..., Topology]

TEXT = """\
version: 1
x-settings: &settings {min.insync.replicas: 2, retention.ms: 7d}
x-team:
  - anything at all: [1, 2]
  - &owner checkout
topics:
  shop.orders: {owner: *owner, partitions: 6, replication: 3, config: *settings}
  shop.bills: {partitions: 6, replication: 3, config: {<<: *settings, retention.ms: 1d}}
"""


def test_anchors_of_extensions_can_be_used(resolve: Resolve) -> None:
    topology = resolve(TEXT)
    assert topology.topics["shop.orders"].owner == "checkout"
    assert topology.topics["shop.orders"].config == {"min.insync.replicas": "2", "retention.ms": "604800000"}
    assert topology.topics["shop.bills"].config == {"min.insync.replicas": "2", "retention.ms": "86400000"}
    assert list(as_plain(topology)) == ["version", "cluster", "topics"]


def test_a_mistake_below_an_anchor_is_located_there_once(load_text: LoadText) -> None:
    loaded = load_text(TEXT.replace("7d", "7 days"))
    assert [(found.id, found.location.line) for found in loaded.problems] == [("KT003", 2)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("version: 1\nx-: {}\n", [("KT002", 2)], id="no name"),
        pytest.param("version: 1\nX-a: {}\n", [("KT002", 2)], id="upper case"),
        pytest.param("version: 1\nx-a: 1\nx-a: 2\n", [("KT004", 3)], id="twice"),
        pytest.param("version: 1\ntopics: {t: {partitions: 1, replication: 1, x-a: 1}}\n", [("KT002", 2)], id="topic"),
        pytest.param("version: 1\nenvironments: {dev: {x-a: 1}}\n", [("KT002", 2)], id="environment"),
    ],
)
def test_only_the_top_level_of_a_file_has_extensions(
    load_text: LoadText, text: str, found: list[tuple[str, int]]
) -> None:
    assert [(each.id, each.location.line) for each in load_text(text).problems] == found


def test_two_files_may_have_the_same_extension(tmp_path: Path, resolve: Resolve) -> None:
    (tmp_path / "other.yaml").write_text("version: 1\nx-settings: [something, else]\n")
    resolve("version: 1\ninclude: [other.yaml]\nx-settings: {}\n")


def test_the_formatter_moves_extensions_in_front_of_what_uses_them() -> None:
    text = "x-b: &b 6\ntopics:\n  t: {replication: 3, partitions: *b}\nversion: 1\n# why\nx-a: {z: 1, a: 2}\n"
    assert format_text(text) == (
        "version: 1\nx-b: &b 6\n# why\nx-a: {z: 1, a: 2}\ntopics:\n  t: {partitions: *b, replication: 3}\n"
    )
    assert format_text(TEXT) == TEXT


def test_fixes_leave_extensions_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "topology.yaml"
    file.write_text(
        "version: 1\nx-kept: {any: thing}  # stays\ncluster: {brokers: 3}\n"
        "topics: {t: {partitions: 6, replication: 3, config: {min.insync.replicas: 3}}}\n"
    )
    fixes = find_fixes(file, None, lambda rule: rule == "KT101", lambda outcome: outcome.findings)
    assert [each.finding.id for each in fixes.fixed] == ["KT101"]
    assert "x-kept: {any: thing}  # stays\n" in fixes.after[file]


def test_a_value_that_an_anchor_shares_is_not_fixed_for_one_user_of_it(tmp_path: Path) -> None:
    file = tmp_path / "topology.yaml"
    file.write_text(
        "version: 1\nx-settings: &settings {min.insync.replicas: 3}\ncluster: {brokers: 3}\n"
        "topics: {t: {partitions: 6, replication: 3, config: *settings}}\n"
    )
    fixes = find_fixes(file, None, lambda rule: rule == "KT101", lambda outcome: outcome.findings)
    assert [(each.finding.id, "anchor" in each.reason) for each in fixes.refused] == [("KT101", True)]
