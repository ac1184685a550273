"""The topics of the measurement, on a broker of this machine: one at a time, deleted afterwards."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from confluent_kafka.admin import AdminClient, NewTopic

from kafka_topology.toolchain import ensure_kafka
from kafka_topology.toolchain.java import find_java

TOPOLOGY = """\
version: 1
topics:
  {topic}:
    partitions: {partitions}
    replication: 1
    ordering: per-key
    key: {{type: uuid, partitioner: murmur2, nulls: forbidden}}
    value: {{format: json, sequence: n}}
    config: {{cleanup.policy: compact, max.compaction.lag.ms: 7d}}
  scale.warm:
    partitions: 2
    replication: 1
    ordering: per-key
    key: {{type: uuid}}
    value: {{format: json, sequence: n}}
"""
_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Size:
    records: int
    keys: int
    partitions: int = 2
    faults: int = 0
    batch: int = 256 << 10


@dataclass(frozen=True)
class Written:
    """A topic with its records, and the file that declares it."""

    servers: str
    topic: str
    topology: Path

    def checked(self, *, cores: int = 2, repeat: int = 1, most_keys: int | None = None, bare: bool = True) -> Any:
        """What `case.py` says."""
        limits = [] if most_keys is None else ["--most-keys", str(most_keys)]
        command = [sys.executable, str(_FOLDER / "case.py"), self.servers, str(self.topology), self.topic]
        command += ["--master", f"local[{cores}]", "--repeat", str(repeat), *limits]
        command += [] if bare else ["--without-bare"]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


@contextmanager
def written(servers: str, folder: Path, size: Size) -> Iterator[Written]:
    topic = f"scale.{size.records}.{size.keys}.{size.partitions}.{size.faults}"
    topology = folder / f"{topic}.yaml"
    topology.write_text(TOPOLOGY.format(topic=topic, partitions=size.partitions))
    began = time.perf_counter()
    write(servers, topic, size)
    print(f"  wrote {size.records:,} records in {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    try:
        yield Written(servers, topic, topology)
    finally:
        admin = AdminClient({"bootstrap.servers": servers})  # kept: without it the answer never comes
        admin.delete_topics([topic])[topic].result(60)


def write(servers: str, topic: str, size: Size) -> None:
    admin = AdminClient({"bootstrap.servers": servers})
    # Neither the broker's cleaner nor retention may change what is counted.
    config = {"retention.ms": "-1", "segment.bytes": str(256 << 20), "file.delete.delay.ms": "1000"}
    admin.create_topics([NewTopic(topic, size.partitions, 1, config=config)])[topic].result(60)
    jars = ":".join(map(str, ensure_kafka()))
    numbers = map(str, (size.partitions, size.records, size.keys, size.faults, size.batch))
    source = str(_FOLDER / "Records.java")
    command = [find_java(), "-Xmx512m", "-cp", jars, source, servers, topic, *numbers]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
