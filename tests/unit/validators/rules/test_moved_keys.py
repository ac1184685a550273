"""The share of keys that another partition count moves, against counting them."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import pytest

from kafka_topology.validators.rules.changes.kt802_partitions_increased_under_keys import share_of_moved_keys


@pytest.mark.parametrize(("before", "after"), [(1, 2), (6, 12), (6, 9), (7, 10), (12, 36), (10, 15), (1, 1000)])
def test_the_share_is_exact(before: int, after: int) -> None:
    residues = range(lcm(before, after))
    moved = sum(1 for hashed in residues if hashed % before != hashed % after)
    assert share_of_moved_keys(before, after) == Fraction(moved, len(residues))


def test_a_multiple_moves_one_minus_n_over_m() -> None:
    assert share_of_moved_keys(6, 24) == 1 - Fraction(6, 24)
