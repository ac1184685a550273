"""Which replicas move: as few as possible, over all racks, and never the preferred leader."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_topology.provider.resources.replicas.plan import (
    Movement,
    Throttled,
    bytes_to_move,
    in_words,
    plan_movements,
    throttled,
    why_impossible,
)

THREE_RACKS = {1: "a", 2: "a", 3: "b", 4: "b", 5: "c", 6: "c"}


def after(movements):
    return {partition: movement.after for partition, movement in movements.items()}


def test_new_replicas_go_to_racks_that_have_none_and_the_rest_stays():
    movements = plan_movements({0: (1,), 1: (3,)}, THREE_RACKS, 3)
    for partition, leader in ((0, 1), (1, 3)):
        replicas = movements[partition].after
        assert replicas[0] == leader
        assert {THREE_RACKS[broker] for broker in replicas} == {"a", "b", "c"}


def test_new_replicas_are_spread_over_the_brokers():
    movements = plan_movements({n: (1 + n % 3,) for n in range(12)}, dict.fromkeys(range(1, 4)), 2)
    assert set(Counter(m.added[0] for m in movements.values()).values()) == {4}


def test_partitions_that_have_enough_are_left_alone():
    assert plan_movements({0: (1, 3), 1: (2, 5)}, THREE_RACKS, 2) == {}
    assert set(plan_movements({0: (1, 3), 1: (2,)}, THREE_RACKS, 2)) == {1}


def test_what_goes_first_is_a_dead_broker_then_a_second_replica_in_a_rack():
    assert after(plan_movements({0: (1, 9, 3)}, THREE_RACKS, 2)) == {0: (1, 3)}
    assert after(plan_movements({0: (1, 2, 3)}, THREE_RACKS, 2)) == {0: (1, 3)}
    assert after(plan_movements({0: (9, 1)}, THREE_RACKS, 1)) == {0: (1,)}


@given(st.data())
def test_nothing_moves_that_may_stay(data):
    brokers = {n: data.draw(st.sampled_from(["a", "b", "c", None])) for n in range(1, data.draw(st.integers(3, 7)))}
    replicas = st.lists(st.sampled_from(sorted(brokers)), min_size=1, max_size=len(brokers), unique=True)
    layout = dict(enumerate(data.draw(st.lists(replicas.map(tuple), min_size=1, max_size=8))))
    target = data.draw(st.integers(1, len(brokers)))
    movements = plan_movements(layout, brokers, target)
    assert set(movements) == {partition for partition, replicas in layout.items() if len(replicas) != target}
    for partition, movement in movements.items():
        before = layout[partition]
        assert movement.before == before
        assert movement.after[0] == before[0]
        assert len(set(movement.after)) == target
        kept = set(before) & set(movement.after)
        assert len(kept) == min(len(before), target)


def test_bytes_and_throttles_count_the_copies_only():
    movements = {0: Movement((1,), (1, 2, 3)), 1: Movement((1, 2), (1,))}
    assert bytes_to_move(movements, {0: 10, 1: 99}) == 20
    assert throttled(movements) == Throttled(leaders="0:1", followers="0:2,0:3")
    assert throttled({1: movements[1]}) is None


def test_more_replicas_than_brokers_are_refused_with_both_numbers():
    assert "replication 4 and the cluster has 3 brokers" in (why_impossible("t", 4, dict.fromkeys(range(3))) or "")
    assert why_impossible("t", 3, dict.fromkeys(range(3))) is None


@pytest.mark.parametrize(("size", "words"), [(0, "0 bytes"), (2048, "2.0 KiB"), (3 * 1024**4, "3.0 TiB")])
def test_sizes_in_words(size, words):
    assert in_words(size) == words
