"""Which columns a condition reads."""

from __future__ import annotations

from typing import get_args

from kafka_topology.spark_checks.conditions.record import (
    Behind,
    Condition,
    Era,
    HeaderMissing,
    Misplaced,
    NullKey,
    NumberField,
    OutsideShare,
)
from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS


def test_every_condition_says_which_columns_it_reads() -> None:
    assert [each.__name__ for each in get_args(Condition) if not hasattr(each, "reads")] == []
    assert NullKey().reads == {"key"}
    assert Behind(NumberField(("n",)), "key").reads == {"key", "value"}
    assert Behind(NumberField(("n",)), "partition").reads == {"value"}
    assert HeaderMissing(("a",)).reads == {"headers"}
    assert OutsideShare.reads == set()


def test_the_timestamp_decides_only_where_the_partition_count_has_changed() -> None:
    murmur2 = HASH_PARTITIONERS["murmur2"]
    assert Misplaced(murmur2, (Era(6),)).reads == {"key"}
    assert Misplaced(murmur2, (Era(3, 1000), Era(6))).reads == {"key", "timestamp"}
