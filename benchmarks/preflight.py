"""How long a preflight takes, against validating the files and the raw admin calls behind its answers, in one run.

    python benchmarks/preflight.py                  # 1,000 topics
    python benchmarks/preflight.py --topics 5000 --repeat 5

A local cluster of one broker is started for it. The floor is the processor time of `kafka-topology validate` plus that
of the same requests sent by a bare client: what the cluster has, the settings of the topics, and `validate_only` for
what would be created or changed. The broker's own time is in the seconds of the clock only. The best of the repeats
counts.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewTopic,
    ResourceType,
)
from results import Goal, json_option, save
from review import Repository
from topology_resource import BATCH, wait_until

from kafka_topology.local import LocalCluster

RATIO_LIMIT = 2.5
SECONDS_LIMIT = 10.0  # of the clock: a pipeline waits for it
PREFIX = "bench"
PATIENCE = 120
CONFIG = {"retention.ms": "60000", "segment.ms": "15000"}
HEAD = """\
version: 1
cluster: {kafka: "4.1", brokers: 1, controllers: 1}
ownership: {topics: [bench-]}
rules: {KT103: {severity: "off"}}
profiles:
  small:
    {partitions: 1, replication: 1, deletion: force, owner: bench, config: {retention.ms: 60000, segment.ms: 15000}}
"""


@dataclass(frozen=True)
class Case:
    """What is deployed and what is declared, both as files, and the requests that a bare client would send."""

    name: str
    deployed: str
    declared: str
    raw: Callable[[AdminClient, list[str]], None]


def topology(names: list[str]) -> str:
    return HEAD + "topics:\n" + "".join(f"  {name}: {{profile: small}}\n" for name in names)


def batches(names: list[str]) -> list[list[str]]:
    return [names[at : at + BATCH] for at in range(0, len(names), BATCH)]


def create(admin: AdminClient, names: list[str], *, validate_only: bool) -> None:
    for some in batches(names):
        topics = [NewTopic(name, 1, 1, config=CONFIG) for name in some]
        for future in admin.create_topics(topics, validate_only=validate_only).values():
            future.result(PATIENCE)


def validate_new(admin: AdminClient, names: list[str]) -> None:
    create(admin, names, validate_only=True)


def read_settings(admin: AdminClient, names: list[str]) -> None:
    for some in batches(names):
        for future in admin.describe_configs([ConfigResource(ResourceType.TOPIC, name) for name in some]).values():
            future.result(PATIENCE)


def validate_settings(admin: AdminClient, names: list[str]) -> None:
    read_settings(admin, names)
    entry = ConfigEntry("retention.ms", "120000", incremental_operation=AlterConfigOpType.SET)
    for some in batches(names):
        resources = [ConfigResource(ResourceType.TOPIC, name, incremental_configs=[entry]) for name in some]
        for future in admin.incremental_alter_configs(resources, validate_only=True).values():
            future.result(PATIENCE)


def cases(names: list[str]) -> list[Case]:
    """In this order: the topics are created after the first."""
    full = topology(names)
    return [
        Case("all new", HEAD, full, validate_new),
        Case("no change", full, full, read_settings),
        Case("a setting of each", full, full.replace("retention.ms: 60000", "retention.ms: 120000"), validate_settings),
    ]


def raw_seconds(servers: str, case: Case, names: list[str]) -> float:
    """Processor time of a bare client in this process, with its threads."""
    started = time.process_time()
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 0})
    admin.list_topics(timeout=PATIENCE)
    admin.describe_cluster().result(PATIENCE)
    case.raw(admin, names)
    return time.process_time() - started


def preflight(repository: Repository, servers: str) -> float:
    """Its processor time. Another answer than yes may come from less work, so it counts as a failure."""
    answer = repository.root / "answer.json"
    where = ("--base", "main", "--bootstrap", servers)
    seconds = repository.seconds("preflight", "topology.yaml", *where, "--format", f"json={answer}")
    if (said := json.loads(answer.read_text(encoding="utf-8"))["answer"]) != "yes":
        raise SystemExit(f"the preflight says {said!r}, not 'yes'")
    return seconds


def measure(case: Case, names: list[str], servers: str, repeat: int) -> list[Goal]:
    asks, floors, clock = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        repository = Repository(Path(folder))
        file = repository.root / "topology.yaml"
        file.write_text(case.deployed, encoding="utf-8")
        repository.git("init", "-q", "-b", "main")
        repository.git("add", "-A")
        repository.git("commit", "-qm", "deployed")
        file.write_text(case.declared, encoding="utf-8")
        for _ in range(repeat):
            validating = repository.seconds("validate", "topology.yaml")
            floors.append(validating + raw_seconds(servers, case, names))
            started = time.monotonic()
            asks.append(preflight(repository, servers))
            clock.append(time.monotonic() - started)
    ratio = min(asks) / min(floors)
    print(
        f"{len(names):>8,} topics, {case.name:<17} preflight {min(asks):6.2f} s, files and raw calls"
        f" {min(floors):6.2f} s = {ratio:.2f}; {min(clock):.1f} s of the clock",
        flush=True,
    )
    what = f"preflight of {len(names):,} topics, {case.name}"
    return [
        Goal(f"{what} / files and raw calls", ratio, RATIO_LIMIT),
        Goal(f"{what}, clock", min(clock), SECONDS_LIMIT, "s"),
    ]


def measure_all(topics: int, repeat: int) -> list[Goal]:
    names = [f"{PREFIX}-{number:05}" for number in range(topics)]
    goals: list[Goal] = []
    with tempfile.TemporaryDirectory() as folder, LocalCluster(Path(folder, "kafka"), delete_on_exit=True) as kafka:
        servers = kafka.bootstrap_servers
        admin = AdminClient({"bootstrap.servers": servers, "log_level": 0})
        for case in cases(names):
            goals += measure(case, names, servers, repeat)
            if case.deployed == HEAD:
                create(admin, names, validate_only=False)
                wait_until(admin, PREFIX, topics)
    return goals


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, action="append", help="may be given several times")
    parser.add_argument("--repeat", type=int, default=3)
    json_option(parser)
    arguments = parser.parse_args()
    goals: list[Goal] = []
    for topics in arguments.topics or [1_000]:
        goals += measure_all(topics, arguments.repeat)
    save(arguments.json, goals)


if __name__ == "__main__":
    main()
