"""How long loading and resolving takes, against a bare `yaml.load` of the same text in the same run.

    python benchmarks/load.py                  # 10,000 and 100,000 topics
    python benchmarks/load.py --topics 1000 --repeat 5

The goal is a ratio of at most 0.6, and time per topic that does not grow with the number of topics. Times are
processor time, the best of the repeats, so that a busy machine does not distort them much. Each measurement runs in a
process of its own, so that its peak of memory is its own.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import yaml
from results import Goal, json_option, save

from kafka_topology.topology import load

RATIO_LIMIT = 0.6
HEAD = """\
version: 1
cluster: {name: large, kafka: "4.1", brokers: 30, racks: [a, b, c], defaults: {min.insync.replicas: 1}}
profiles:
  event: {replication: 3, config: {min.insync.replicas: 2, cleanup.policy: delete}, retention: 7d}
environments:
  dev: {profiles: {event: {replication: 1}}}
topics:
"""
TOPIC = """\
  shop.orders.{n}:
    profile: event
    description: Order lifecycle events, one aggregate per key.
    owner: checkout
    visibility: public
    partitions: 12
    ordering: per-key
    throughput: {{peak: 40MB/s, average: 5MB/s, recordSize: 1KiB}}
    key:
      type: uuid
      field: order_id
      partitioner: murmur2
    config:
      max.message.bytes: 1MiB
"""


@dataclass(frozen=True)
class Measured:
    seconds: float
    peak_mib: float


def write_topology(file: Path, topics: int) -> None:
    with file.open("w", encoding="utf-8") as stream:
        stream.write(HEAD)
        stream.writelines(TOPIC.format(n=n) for n in range(topics))


def bare_yaml(file: Path) -> None:
    assert len(yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)["topics"]) > 0


def load_and_resolve(file: Path) -> None:
    assert load(file, "dev").topology is not None


WORK = {"yaml.load": bare_yaml, "load": load_and_resolve}


def measure_here(name: str, file: Path) -> Measured:
    start = time.process_time()
    WORK[name](file)
    seconds = time.process_time() - start
    return Measured(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def measure(name: str, file: Path, repeat: int) -> Measured:
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        runs = [pool.apply(measure_here, (name, file)) for _ in range(repeat)]
    return Measured(min(run.seconds for run in runs), max(run.peak_mib for run in runs))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, action="append", help="how many topics (default: 10000 and 100000)")
    parser.add_argument("--repeat", type=int, default=2, help="runs of each, of which the best counts")
    json_option(parser)
    asked = parser.parse_args()
    goals, rows = [], []
    print("   topics        MB   yaml.load        load   ratio   µs/topic   yaml MiB   load MiB")
    with tempfile.TemporaryDirectory() as folder:
        for topics in asked.topics or (10_000, 100_000):
            file = Path(folder) / "topology.yaml"
            write_topology(file, topics)
            bare, ours = (measure(name, file, asked.repeat) for name in WORK)
            print(
                f"{topics:9,} {file.stat().st_size / 1e6:9.1f} {bare.seconds:9.2f} s {ours.seconds:9.2f} s"
                f" {ours.seconds / bare.seconds:7.2f} {ours.seconds / topics * 1e6:10.1f}"
                f" {bare.peak_mib:10.0f} {ours.peak_mib:10.0f}",
                flush=True,
            )
            goals.append(Goal(f"load of {topics:,} topics / yaml.load", ours.seconds / bare.seconds, RATIO_LIMIT))
            rows.append({"topics": topics, "yaml": asdict(bare), "load": asdict(ours)})
    save(asked.json, goals, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
