"""A model of how long a check takes, with constants that `python -m scale` measures.

    work = per record · records + per key · keys + per spilled · spilled bytes + per partition · partitions
    time = start + work / (busy · executors · cores) + merge · partitions

`keys` are distinct keys, `busy` is the share of the time in which a core computes instead of waiting for the broker.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from kafka_topology.spark_checks.engines.compiled import merged

# From the table in docs/checks.md, measured by `python benchmarks/spark_check.py --records 2000000 --without-pure` on a
# quiet machine: 1.1 µs of processor time for a record, and 1,520,000 records a second on two cores.
BUSY = 0.84
SHARE_OF_HEAP = 0.45  # as Memory.java
# As KeyTable.java: a table has segments that double as soon as they are three quarters full.
SEGMENTS = 64
FIRST_SLOTS = 16
FULL = 0.75
# Two longs of the key's hash and seven of the checks here: one for hot keys, order and duplicates each, four for
# the record that waits until a later one supersedes it.
BYTES_OF_SLOT = 9 * 8
# As Spill.java: the files of a table, and all that is written for a record with a key of 36 bytes.
FILES = 16
BYTES_SPILLED = 116


class Run(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def size(self) -> Any: ...


@dataclass(frozen=True)
class Constants:
    """Seconds of a core."""

    start: float
    per_record: float
    per_key: float
    per_spilled: float
    per_partition: float
    merge: float

    def __str__(self) -> str:
        return (
            f"start {self.start:.2f} s, record {self.per_record * 1e6:.2f} µs, key {self.per_key * 1e6:.2f} µs,"
            f" spilled {self.per_spilled * 1e9:.1f} s a GB, partition {self.per_partition * 1e3:.0f} ms,"
            f" merge {self.merge * 1e3:.2f} ms a partition"
        )


def constants_of(results: Mapping[str, Any], cases: Sequence[Run]) -> Constants:
    """From the first five cases: small, middle, many keys, many keys with little room, many partitions."""
    small, middle, keys, room, partitions = (results[case.name] for case in cases[:5])
    sizes = [case.size for case in cases[:5]]
    per_record = (middle["checkCpu"] - small["checkCpu"]) / (sizes[1].records - sizes[0].records)
    per_partition = max(0.0, (partitions["checkCpu"] - small["checkCpu"]) / (sizes[4].partitions - sizes[0].partitions))
    return Constants(
        start=max(0.0, small["checkCpu"] - per_record * sizes[0].records - per_partition * sizes[0].partitions),
        per_record=per_record,
        per_key=max(0.0, (keys["checkCpu"] - middle["checkCpu"]) / (sizes[2].keys - sizes[1].keys)),
        per_spilled=max(0.0, (room["checkCpu"] - keys["checkCpu"]) / (room["spilled"] - keys["spilled"])),
        per_partition=per_partition,
        merge=merging(),
    )


def merging(tasks: int = 2_000, groups: int = 40) -> float:
    """Seconds in which the driver takes in the answer of a task."""
    task = [[mask, 1_000, 0, 10**9, 10**6] for mask in range(groups)]
    parts = [{"groups": [[part, *group] for group in task], "hotKeys": [], "evidence": []} for part in range(tasks)]
    answers = [json.dumps(part) for part in parts]
    began = time.perf_counter()
    merged([json.loads(answer) for answer in answers])
    return (time.perf_counter() - began) / tasks


def predicted(constants: Constants, records: float, keys: float, partitions: float, spilled: float) -> float:
    """Processor seconds."""
    return (
        constants.start
        + constants.per_record * records
        + constants.per_key * keys
        + constants.per_spilled * spilled
        + constants.per_partition * partitions
    )


def spilled_bytes(records: float, keys: float, partitions: float, cores: float, heap: float) -> float:
    """By JVMs that work on `cores` partitions at once. Each of them has its part, and half of the memory is for all."""
    tables = min(cores, partitions)
    room = SHARE_OF_HEAP * heap * (1 + tables / cores) / 2
    return records * BYTES_SPILLED * times_spilled(keys / partitions, room / tables)


def times_spilled(keys: float, room: float) -> float:
    """How often a record of a table is written on average. A file that does not fit either is split again."""
    of_segment = keys / SEGMENTS
    slots = FIRST_SLOTS
    while FULL * slots < of_segment and 2 * _bytes_of_table(slots) <= room:
        slots *= 2
    kept = FULL * slots
    if kept >= of_segment:
        return 0.0
    # There is room for some of the segments to double once more.
    doubled = max(0.0, room / _bytes_of_table(slots) - 1)
    share = 1 - (doubled * min(2 * kept, of_segment) + (1 - doubled) * kept) / of_segment
    return share + share * times_spilled(keys * share / FILES, room)


def _bytes_of_table(slots: int) -> int:
    return SEGMENTS * slots * BYTES_OF_SLOT


def told(constants: Constants, asked: Any) -> None:
    """Prints the prediction. No more tasks can run at once than there are partitions."""
    slots = min(asked.executors * asked.cores, asked.partitions)
    rounds = math.ceil(asked.partitions / slots) / (asked.partitions / slots)  # the last round may be half empty
    spilled = spilled_bytes(asked.records, asked.keys, asked.partitions, asked.cores, asked.heap)
    cpu = predicted(constants, asked.records, asked.keys, asked.partitions, spilled) - constants.start
    merge = constants.merge * asked.partitions
    seconds = constants.start + rounds * cpu / (BUSY * slots) + merge
    print(constants)
    print(
        f"{asked.records:,.0f} records, {asked.keys:,.0f} keys, {asked.partitions:,.0f} partitions on"
        f" {asked.executors:.0f} executors with {asked.cores:.0f} cores and {asked.heap / 1e9:.1f} GB: about"
        f" {seconds:,.0f} s, of which {merge:.1f} s merging; {cpu:,.0f} s of processor time;"
        f" {spilled / 1e9:,.1f} GB spilled"
    )
    print(f"the brokers must send {asked.records / seconds / 1e6:,.1f} million records a second, or they decide")
