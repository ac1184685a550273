"""Whether every acknowledged record is there, once and in order, and whether the reading group was given it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from confluent_kafka import Consumer, TopicPartition

from .traffic import READ, UNKNOWN, WRITTEN

if TYPE_CHECKING:
    from pathlib import Path

    from .bench import Bench

PATIENCE = 180.0  # of the traffic to go on after a fault, and of a broker to hand out what it acknowledged
_SHOWN = 3


class Noted(NamedTuple):
    topic: str
    partition: int
    offset: int
    value: str

    @property
    def place(self) -> tuple[str, int]:
        return self.topic, self.partition


Place = tuple[str, int]
PLACES: list[Place] = [(topic, partition) for topic, count in WRITTEN.items() for partition in range(count)]


@dataclass
class Notes:
    """The lines of a file that are new, whole ones only."""

    file: Path
    position: int = 0

    def new(self) -> list[Noted]:
        if not self.file.exists():
            return []
        with self.file.open("rb") as file:
            file.seek(self.position)
            text = file.read()
        text = text[: text.rfind(b"\n") + 1]
        self.position += len(text)
        rows = (line.split() for line in text.decode().splitlines())
        return [Noted(topic, int(partition), int(offset), value) for topic, partition, offset, value in rows]


@dataclass
class Traffic:
    """What the writers and readers have noted so far. Plain data: a test can play them."""

    acknowledged: Notes
    given: Notes
    pending: list[Noted] = field(default_factory=list)  # acknowledged, and not yet compared with what is stored
    last: dict[Place, int] = field(default_factory=dict)  # the last acknowledged offset
    wanted: dict[Place, int] = field(default_factory=dict)  # the offset that the group must be given next
    skipped: list[str] = field(default_factory=list)

    def hear(self) -> None:
        for one in self.acknowledged.new():
            self.pending.append(one)
            self.last[one.place] = max(one.offset, self.last.get(one.place, -1))
        for one in self.given.new():  # again is normal: at least once
            wanted = self.wanted.get(one.place, 0)
            if one.offset > wanted:
                self.skipped.append(f"the group was given {one.offset} of {one.topic}-{one.partition} before {wanted}")
            self.wanted[one.place] = max(wanted, one.offset + 1)

    def take(self) -> list[Noted]:
        """Those to compare now. One of an unknown offset waits for one after it, up to which records are read."""
        known = {one.place: at for at, one in enumerate(self.pending) if one.offset != UNKNOWN}
        taken = [one for at, one in enumerate(self.pending) if at <= known.get(one.place, -1)]
        self.pending = [one for at, one in enumerate(self.pending) if at > known.get(one.place, -1)]
        return taken

    def stalled(self, since: dict[Place, int]) -> list[str]:
        """Partitions without a newer acknowledgement, and those that the group has not read up to there."""
        silent = [place for place in PLACES if self.last.get(place, -1) <= since.get(place, -1)]
        behind = [place for place in PLACES if place[0] == READ and self.wanted.get(place, 0) <= since.get(place, -1)]
        return [
            *(f"no record of {topic}-{partition} was acknowledged after the fault" for topic, partition in silent),
            *(f"the group was not given all of {topic}-{partition}" for topic, partition in behind),
        ]


def compared(acknowledged: list[Noted], stored: dict[Place, dict[int, str]]) -> tuple[list[str], list[str]]:
    """Acknowledged records that are not where they were acknowledged, and partitions that are out of order."""
    lost = []
    for one in acknowledged:
        records = stored[one.place]
        found = records.get(one.offset)
        if found != one.value if one.offset != UNKNOWN else one.value not in records.values():
            where = f"{one.topic}-{one.partition} offset {one.offset}"
            lost.append(f"acknowledged record {one.value} is not at {where}: found {found}")
    mixed = []
    for (topic, partition), records in stored.items():
        values = [int(value) for _, value in sorted(records.items())]
        if values != sorted(set(values)):
            mixed.append(f"records of {topic}-{partition} are out of order or twice")
    return lost, mixed


class Records:
    """Compares what was acknowledged with what the brokers have, a turn at a time."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.traffic = Traffic(Notes(bench.folder / "acknowledged"), Notes(bench.folder / "given"))
        self.stored: dict[Place, dict[int, str]] = {}
        self.positions: dict[Place, int] = {}
        self.count = 0
        self.lost = 0

    def faults(self) -> list[str]:
        stalled = self._wait_for_traffic()
        lost, mixed = self._compare()
        skipped, self.traffic.skipped = self.traffic.skipped, []
        self.lost += len(lost) + len(skipped)
        return [line for kind in (stalled, lost, mixed, skipped) for line in _some(kind)]

    def _wait_for_traffic(self) -> list[str]:
        """Writers and readers go on: without them, nothing above would ever be found."""
        self.traffic.hear()
        since = dict(self.traffic.last)
        deadline = time.monotonic() + PATIENCE
        while True:
            self.traffic.hear()
            stalled = self.traffic.stalled(since)
            if not stalled or time.monotonic() > deadline:
                return stalled
            time.sleep(0.1)

    def _compare(self) -> tuple[list[str], list[str]]:
        pending = self.traffic.take()
        ends = dict.fromkeys(PLACES, 0) | {one.place: one.offset + 1 for one in pending if one.offset != UNKNOWN}
        self._fetch(ends)
        lost, mixed = compared(pending, self.stored)
        for place, records in self.stored.items():
            # Keep the last one, to compare the order with, and those whose acknowledgement is not noted yet.
            self.stored[place] = {offset: value for offset, value in records.items() if offset >= ends[place] - 1}
        self.count += len(pending)
        return lost, mixed

    def _fetch(self, ends: dict[Place, int]) -> None:
        """Everything that is stored. A new leader hands out the last records a moment later: wait for them."""
        servers = {"bootstrap.servers": self.bench.cluster.bootstrap_servers, "log_level": 0}
        reader = Consumer({**servers, "group.id": "judge", "enable.auto.commit": False})
        for place in PLACES:
            deadline = time.monotonic() + PATIENCE
            begin, end = _held(reader, place)
            while end < ends[place] and time.monotonic() < deadline:
                time.sleep(0.2)
                begin, end = _held(reader, place)
            position = max(begin, self.positions.get(place, 0))
            records = self.stored.setdefault(place, {})
            reader.assign([TopicPartition(*place, position)])
            while position < end:
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{place} cannot be read back: at {position} of {end}")
                for message in reader.consume(1000, timeout=1):
                    if not message.error() and message.offset() < end:
                        records[message.offset()] = message.value().decode()
                        position = message.offset() + 1
            self.positions[place] = position
        reader.close()


def _held(reader: Consumer, place: Place) -> tuple[int, int]:
    """The first offset that the partition has, and the one after the last."""
    begin, end = reader.get_watermark_offsets(TopicPartition(*place), timeout=60)
    return int(begin), int(end)


def _some(lines: list[str]) -> list[str]:
    rest = len(lines) - _SHOWN
    return [*lines[:_SHOWN], *([f"and {rest} more of this kind"] if rest > 0 else [])]
