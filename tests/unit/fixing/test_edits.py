"""Many edits: the same answers as comparing each with each, in far fewer steps."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kafka_topology.fixing import edits, fixes
from kafka_topology.fixing.edits import apply_edits, overlap, without_overlaps
from kafka_topology.topology import Edit, Location


def some_edits(seed: int) -> list[Edit]:
    chance = random.Random(seed)  # noqa: S311 - not for security
    chosen = []
    for _ in range(40):
        line, column, length = chance.randrange(1, 4), chance.randrange(1, 30), chance.randrange(6)
        chosen.append(Edit(Location("a.yaml", line, column, line, column + length), chance.choice("xyz")))
    return chosen


@pytest.mark.parametrize("seed", range(200))
def test_the_first_of_overlapping_edits_stays(seed: int) -> None:
    expected: list[Edit] = []
    for edit in some_edits(seed):
        if not any(overlap(edit, other) for other in expected):
            expected.append(edit)
    assert without_overlaps(some_edits(seed), lambda edit: [edit]) == expected


def test_edits_of_one_line_and_insertions_are_applied_in_the_order_of_the_text() -> None:
    at = [Location("a.yaml", 1, start, 1, end) for start, end in ((5, 6), (1, 2), (3, 3), (3, 4))]
    assert apply_edits("a b c d", [Edit(place, new) for place, new in zip(at, ("C", "A", "+", "B"), strict=True)]) == (
        "A +B C d"
    )


def test_four_times_as_many_fixes_take_four_times_as_many_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = {"overlap": 0, "positions": 0, "node": 0}

    def counting(name: str, function: object) -> object:
        def counted(*arguments: object) -> object:
            steps[name] += 1
            return function(*arguments)  # type: ignore[operator]

        return counted

    monkeypatch.setattr(edits, "overlap", counting("overlap", edits.overlap))
    monkeypatch.setattr(fixes, "Positions", counting("positions", edits.Positions))
    monkeypatch.setattr(edits, "_span", counting("node", edits._span))
    taken = []
    for count in (20, 80):
        topics = [
            f"  t{n}: {{partitions: 3, replication: 3, config: {{min.insync.replicas: 3}}}}\n" for n in range(count)
        ]
        (tmp_path / "topology.yaml").write_text(f"version: 1\ntopics:\n{''.join(topics)}")
        steps.update(dict.fromkeys(steps, 0))
        found = fixes.find_fixes(tmp_path, None, lambda rule: rule == "KT101", lambda outcome: outcome.findings)
        assert len(found.fixed) == count
        taken.append(dict(steps))
    few, many = taken
    assert many["positions"] == few["positions"]
    assert many["overlap"] <= 4 * few["overlap"]
    assert many["node"] <= 4 * few["node"]
