"""How long the rules take, compared with loading the same topology in the same run.

python benchmarks/validate.py                      10,000 topics
python benchmarks/validate.py --topics 10000 --topics 100000 --slowest 10
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import time
from pathlib import Path

from results import Goal, json_option, save

from kafka_topology.topology import Topology, load
from kafka_topology.validators import builtin_rules, run

RATIO_LIMIT = 1.0
HEADER = """\
version: 1
cluster:
  name: bench
  kafka: "4.1"
  brokers: 60
  racks: [a, b, c]
  controllers: 3
  limits: {partitionsPerBroker: 100000, throughputPerPartition: 10MB/s}
  defaults: {auto.create.topics.enable: false, min.insync.replicas: 2}
profiles:
  event:
    replication: 3
    owner: team
    config: {min.insync.replicas: 2, cleanup.policy: delete}
    retention: 7d
"""
TOPIC = """\
  shop.topic-{n}:
    profile: event
    description: Topic number {n}.
    partitions: 12
    ordering: per-key
    throughput: {{peak: 40MB/s, average: 5MB/s, recordSize: 1KiB}}
    key: {{type: uuid, field: id, partitioner: murmur2}}
    value: {{format: json}}
    config:
      max.message.bytes: 1000000
"""
PRODUCER = """\
  writer-{n}:
    principal: User:shop-{n}
    owner: team
    topics: [shop.topic-{n}]
    delivery: at-least-once
    config: {{acks: all, linger.ms: 5}}
"""
GROUP = """\
  shop.reader-{n}:
    principal: User:reader-{n}
    owner: team
    topics: [shop.topic-{n}]
    members: 6
    start: earliest
    maxLag: 10000
    config: {{enable.auto.commit: false, group.protocol: consumer}}
"""


def topology_text(topics: int) -> str:
    """Each topic with a writer and a reader of its own."""
    parts = [HEADER, "topics:\n", *(TOPIC.format(n=n) for n in range(topics))]
    parts += ["producers:\n", *(PRODUCER.format(n=n) for n in range(topics))]
    parts += ["consumerGroups:\n", *(GROUP.format(n=n) for n in range(topics))]
    return "".join(parts)


def measure(topics: int, slowest: int, repeat: int) -> Goal:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "topology.yaml")
        file.write_text(topology_text(topics))
        load_times, run_times = [], []
        for _ in range(repeat):
            gc.collect()
            started = time.perf_counter()
            topology = load(file).topology
            load_times.append(time.perf_counter() - started)
            assert topology is not None
            gc.collect()
            started = time.perf_counter()
            outcome = run(topology)
            run_times.append(time.perf_counter() - started)
        loading, running = min(load_times), min(run_times)
        print(
            f"{topics:>9,} topics: load {loading:6.2f} s, {len(outcome.ran)} rules {running:6.2f} s"
            f" = {running / loading:.2f} x load, {running / topics * 1e6:.0f} us a topic,"
            f" {len(outcome.findings):,} findings"
        )
        if slowest:
            show_slowest(topology, slowest)
    return Goal(f"all rules of {topics:,} topics / load", running / loading, RATIO_LIMIT)


def show_slowest(topology: Topology, count: int) -> None:
    times = []
    for rule in builtin_rules():
        started = time.perf_counter()
        run(topology, rules=[rule])
        times.append((time.perf_counter() - started, rule.id))
    for seconds, rule_id in sorted(times, reverse=True)[:count]:
        print(f"          {rule_id} {seconds * 1000:7.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--topics", type=int, action="append", help="may be given several times")
    parser.add_argument("--slowest", type=int, default=0, help="show the slowest rules")
    parser.add_argument("--repeat", type=int, default=3)
    json_option(parser)
    arguments = parser.parse_args()
    measured = [measure(topics, arguments.slowest, arguments.repeat) for topics in arguments.topics or [10_000]]
    save(arguments.json, measured)


if __name__ == "__main__":
    main()
