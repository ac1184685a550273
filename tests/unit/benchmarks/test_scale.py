"""The model of `make scale`, what it demands of its measurements, and what it says without any. Nothing is measured."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import pytest
from scale.__main__ import Case, doubling, for_model, growth
from scale.expected import MOST_MEMORY, broken
from scale.model import BYTES_OF_SLOT, BYTES_SPILLED, SHARE_OF_HEAP, Constants, constants_of, predicted, spilled_bytes
from scale.topics import Size

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
CONSTANTS = Constants(start=2.0, per_record=1e-6, per_key=3e-6, per_spilled=2e-9, per_partition=0.04, merge=0.001)
GIB = 1 << 30


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(BENCHMARKS)}
    command = [sys.executable, "-m", "scale", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def measured(cases: list[Case], **others: Any) -> dict[str, Any]:
    """As if the model were true."""
    found = {}
    for case in cases:
        size = case.size
        spilled = 0.0 if case.most_keys is None else size.records * BYTES_SPILLED / 2
        cpu = predicted(CONSTANTS, size.records, size.keys, size.partitions, spilled)
        found[case.name] = {"records": size.records, "checkCpu": cpu, "spilled": spilled, "peak": GIB, **others}
    return found


def test_the_work_is_the_sum_of_its_parts() -> None:
    assert predicted(CONSTANTS, 1e6, 1e5, 10, 1e9) == pytest.approx(2 + 1 + 0.3 + 2 + 0.4)


def test_constants_are_found_again() -> None:
    cases = for_model(20_000_000)
    found = constants_of(measured(cases), cases)
    assert found.merge > 0
    # The few keys of the small cases count as part of the start.
    assert astuple(replace(found, merge=0.001)) == pytest.approx(astuple(CONSTANTS), rel=0.02)


def test_nothing_is_spilled_while_the_keys_fit() -> None:
    assert spilled_bytes(5e6, 2.5e6, 2, 2, 2 * GIB) == 0
    assert spilled_bytes(1e9, 1e8, 200, 4, 8e9) == 0


def test_keys_of_segments_that_cannot_double_are_spilled() -> None:
    """18 keys in each of 64 segments; 16 slots take 12 of them. Half of the segments find room for 32 slots."""
    heap = 1.5 * 64 * 16 * BYTES_OF_SLOT / SHARE_OF_HEAP
    assert spilled_bytes(6_000, 64 * 18, 1, 1, heap) == pytest.approx(1_000 * BYTES_SPILLED)


def test_the_prediction_is_near_what_was_measured() -> None:
    """Once, with 2.5 million keys and a heap of 512 MB."""
    assert spilled_bytes(5e6, 2.5e6, 2, 2, GIB / 2) == pytest.approx(88_482_712, rel=0.05)


def test_more_keys_and_less_memory_spill_more() -> None:
    by_keys = [spilled_bytes(20e6, keys, 2, 2, 2 * GIB) for keys in (5e6, 10e6, 15e6, 20e6)]
    assert by_keys == sorted(by_keys)
    assert by_keys[0] == 0 < by_keys[1] < 20e6 * BYTES_SPILLED
    by_heap = [spilled_bytes(20e6, 10e6, 2, 2, heap) for heap in (GIB, 2 * GIB, 3 * GIB)]
    assert by_heap == sorted(by_heap, reverse=True)
    assert by_heap[2] == 0


def test_partitions_that_wait_for_a_core_take_no_memory() -> None:
    assert spilled_bytes(20e6, 10e6, 20, 2, 2 * GIB) == 0
    # A task alone has its own part of two, and the half that is for all.
    assert spilled_bytes(20e6, 5e6, 1, 2, 2 * GIB) == spilled_bytes(20e6, 5e6, 1, 1, 1.5 * GIB)


def test_files_that_do_not_fit_are_spilled_again() -> None:
    assert spilled_bytes(1e9, 1e9, 1, 1, GIB) > 1e9 * BYTES_SPILLED


def test_spilled_bytes_are_predicted_too() -> None:
    cases, grown = for_model(20_000_000), growth(20_000_000)
    results = measured([*cases, *grown], spilled=0)
    results[cases[3].name]["spilled"] = 1e9
    assert (
        doubling(results, cases, grown)
        .splitlines()[-1]
        .endswith(f"{spilled_bytes(20e6, 10e6, 2, 2, 2 * GIB) / 1e6:,.0f} MB | 0 MB |")
    )


def test_linear_growth_within_the_memory_is_right() -> None:
    grown = growth(20_000_000)
    assert list(broken(measured(grown), grown)) == []
    assert list(broken({}, grown)) == []


def test_a_large_process_is_wrong() -> None:
    grown = growth(1_000_000)
    (sentence, *others) = broken(measured(grown, peak=MOST_MEMORY + 1), grown)
    assert len(others) == 1
    assert "1000000 records 10000 keys" in sentence
    assert "the process took 3.22 GB, more than 3.22 GB" in sentence


def test_growth_above_linear_is_wrong() -> None:
    grown = growth(20_000_000)
    results = measured(grown)
    slow = Case(Size(20_000_000, 10_000_000)).name
    results[slow]["checkCpu"] *= 4
    (sentence,) = broken(results, grown)
    assert sentence.startswith(slow)
    assert "with 1,000,000 records: more than 1.5 times" in sentence


def test_topics_with_faults_are_held_to_the_memory_only() -> None:
    grown = growth(20_000_000)
    planted = Case(Size(20_000_000, 10_000_000, faults=1_000))
    results = measured([*grown, planted])
    results[planted.name]["checkCpu"] *= 9
    assert list(broken(results, [*grown, planted])) == []
    results[planted.name]["peak"] = 4 * GIB
    (sentence,) = broken(results, [*grown, planted])
    assert sentence == f"{planted.name}: the process took 4.29 GB, more than 3.22 GB"


@pytest.mark.parametrize("what", ["--predict", "--report"])
def test_without_measurements_it_says_what_to_run(tmp_path: Path, what: str) -> None:
    done = run(what, "--results", str(tmp_path / "scale.json"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"{tmp_path / 'scale.json'} does not hold the measurements that give the constants: run make scale\n"
    )
