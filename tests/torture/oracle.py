"""What must hold after every turn, seen from outside of the product."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from confluent_kafka import Consumer, TopicPartition

from .bench import outside
from .stack import WITHOUT_QUESTIONS
from .traffic import WRITTEN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafka_tools import Seen

    from .bench import Bench

LONGEST_UP = 300.0
_Partition = tuple[str, int]


@dataclass
class Records:
    """Compares what was acknowledged with what the brokers have, a turn at a time."""

    bench: Bench
    read: dict[_Partition, dict[int, str]] = field(default_factory=dict)
    positions: dict[_Partition, int] = field(default_factory=dict)
    judged: dict[_Partition, int] = field(default_factory=dict)  # the last acknowledged offset
    noted: int = 0  # bytes of the notes that were judged
    troubles: int = 0
    count: int = 0

    def faults(self) -> list[str]:
        lost = list(self._lost())
        return [*lost[:3], *([f"and {len(lost) - 3} more of this kind"] if len(lost) > 3 else []), *self._told()]

    def _lost(self) -> Iterator[str]:
        acknowledged = self._acknowledged()
        self._fetch()
        for topic, partition, offset, value in acknowledged:
            stored = self.read[topic, partition].get(offset)
            self.judged[topic, partition] = offset
            if stored != value:
                yield f"acknowledged record {value} is not at {topic}-{partition} offset {offset}: found {stored}"
        for (topic, partition), records in self.read.items():
            values = [int(value) for _, value in sorted(records.items())]
            if values != sorted(set(values)):
                yield f"records of {topic}-{partition} are out of order or twice"
            # The next turn hears of the rest, and compares its order with the last one.
            last = self.judged.get((topic, partition), 0)
            self.read[topic, partition] = {offset: value for offset, value in records.items() if offset >= last}
        self.count += len(acknowledged)

    def _acknowledged(self) -> list[tuple[str, int, int, str]]:
        """Those since the last turn; a line that is being written waits for the next one."""
        with (self.bench.folder / "acknowledged").open("rb") as file:
            file.seek(self.noted)
            text = file.read()
        text = text[: text.rfind(b"\n") + 1]
        self.noted += len(text)
        rows = (line.split() for line in text.decode().splitlines())
        return [(topic, int(partition), int(offset), value) for topic, partition, offset, value in rows]

    def _fetch(self) -> None:
        servers = {"bootstrap.servers": self.bench.cluster.bootstrap_servers, "log_level": 0}
        reader = Consumer({**servers, "group.id": "judge", "enable.auto.commit": False})
        for topic, partitions in WRITTEN.items():
            for partition in range(partitions):
                key = (topic, partition)
                _, end = reader.get_watermark_offsets(TopicPartition(topic, partition), timeout=60)
                position = self.positions.get(key, 0)
                records = self.read.setdefault(key, {})
                reader.assign([TopicPartition(topic, partition, position)])
                deadline = time.monotonic() + 60
                while position < end and time.monotonic() < deadline:
                    for message in reader.consume(1000, timeout=1):
                        if not message.error() and message.offset() < end:
                            records[message.offset()] = message.value().decode()
                            position = message.offset() + 1
                self.positions[key] = position
        reader.close()

    def _told(self) -> list[str]:
        """What the readers saw of their group's offsets."""
        file = self.bench.folder / "troubles"
        lines = file.read_text().splitlines() if file.exists() else []
        new, self.troubles = lines[self.troubles :], len(lines)
        return [line for line in new if line.startswith("LOSS")]


def changed_outside(bench: Bench, seen: Seen) -> list[str]:
    """Topics, ACLs, users, quotas and offsets that no stack declares."""
    assert bench.outside is not None
    now = outside(seen)
    found = []
    for part in fields(now):
        before, after = getattr(bench.outside, part.name), getattr(now, part.name)
        if before != after:
            wrong = {
                key: (before.get(key), after.get(key)) for key in before | after if before.get(key) != after.get(key)
            }
            found.append(f"{part.name} of others changed: {wrong}")
    return found


def unlike_declaration(bench: Bench, seen: Seen) -> list[str]:
    """Declared things that Kafka has otherwise, after a run that said it succeeded."""
    found = []
    declared = bench.declared.topics()
    live = {name: shape for name, shape in seen.topics.items() if name.startswith("t.")}
    if set(live) != set(declared):
        found.append(f"topics {sorted(live)}, declared {sorted(declared)}")
    for name in set(live) & set(declared):
        want = declared[name]
        partitions, replication, config = live[name]
        settings = {key: str(value) for key, value in want["config"].items()}
        if (partitions, replication, config) != (want["partitions"], want["replication"], settings):
            found.append(f"{name} is {live[name]}, declared {want}")
    quota = [limits for entity, limits in seen.quotas.items() if "'t-app'" in entity]
    if quota != [{"producer_byte_rate": float(bench.declared.rate)}]:
        found.append(f"quota {quota}, declared {bench.declared.rate}")
    if "t-app" not in seen.users:
        found.append("user t-app is gone")
    watching = {line.split()[1] for line in seen.acls.get("User:t-watch", ())}
    wanted = {"DESCRIBE", "DESCRIBE_CONFIGS"} if bench.declared.revision % 2 else {"DESCRIBE"}
    if watching != wanted:
        found.append(f"User:t-watch may {sorted(watching)}, declared {sorted(wanted)}")
    return found


def converges(bench: Bench) -> list[str]:
    """The next `up` succeeds, the one after it changes nothing, and Kafka has what is declared."""
    for arguments in (WITHOUT_QUESTIONS, (*WITHOUT_QUESTIONS, "--expect-no-changes")):
        bench.stack.unlock()
        done = bench.stack.begin("up", *arguments).end(LONGEST_UP)
        if done.faults() or done.code:
            what = "the next up" if arguments == WITHOUT_QUESTIONS else "the up after it"
            return [*done.faults(), f"{what} ended with {done.code}: {done.text[-1500:]}"]
    return unlike_declaration(bench, bench.seen())
