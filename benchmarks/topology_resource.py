"""One `Topology` for many topics, against the engine's floor and the brokers' own time, in one run.

python benchmarks/topology_resource.py --topics 100 1000
python benchmarks/topology_resource.py --topics 10000 --skip-checkpoints

The floor is a provider that only publishes as many views of the same size, plus the raw admin calls until every topic
is visible. With the file backend, the engine writes its whole state twice for each view, so the floor grows with the
square of the topics; `--skip-checkpoints` sets PULUMI_SKIP_CHECKPOINTS. `--each` also applies the same file with one
resource per topic, and prints how many times faster one `Topology` is. `--profile FOLDER` writes a profile of our
plugin for each command.

Compare ratios, on a quiet machine: the broker runs on it, too.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from confluent_kafka.admin import AdminClient, NewTopic
from pulumi_up import COMMANDS, PLUGIN, Project, Taken, warm_up
from results import Goal, json_option, save

from kafka_topology.local import LocalCluster

OURS = "from kafka_topology.program.deploy import deploy\n\ndeploy()\n"
FLOOR = """\
import pulumi
from kafka_topology.sdk import Topology

provider = pulumi.ProviderResource("kafka-topology", "kafka", {})
Topology("topology", path="topology.yaml", opts=pulumi.ResourceOptions(provider=provider))
"""
HEAD = """\
version: 1
rules: {KT103: {severity: "off"}}
profiles:
  small:
    {partitions: 1, replication: 1, deletion: force, owner: bench, config: {retention.ms: 60000, segment.ms: 15000}}
topics:
"""
SKIP = {"PULUMI_SKIP_CHECKPOINTS": "true", "PULUMI_EXPERIMENTAL": "true"}
BATCH = 250
MEMORY_LIMIT = 500
OF_THE_FLOOR = 1.5
NO_CHANGE_LIMIT = 10.0
TIMES_FASTER = 5.0


def topology(count: int, prefix: str) -> str:
    return HEAD + "".join(f"  {prefix}-{number:05}: {{profile: small}}\n" for number in range(count))


def wait_until(admin: AdminClient, prefix: str, count: int) -> None:
    """Asks until as many topics of this prefix are visible, each with a leader."""
    while True:
        found = admin.list_topics(timeout=60).topics
        visible = [
            topic
            for name, topic in found.items()
            if name.startswith(f"{prefix}-") and all(each.leader >= 0 for each in topic.partitions.values())
        ]
        if len(visible) == count:
            return
        time.sleep(0.1)


def raw(servers: str, count: int) -> dict[str, float]:
    """What the brokers take for the same topics, in batches and with nothing else."""
    admin = AdminClient({"bootstrap.servers": servers})
    names = [f"raw-{number:05}" for number in range(count)]
    config = {"retention.ms": "60000", "segment.ms": "15000"}
    taken = {}
    started = time.monotonic()
    for at in range(0, count, BATCH):
        made = admin.create_topics([NewTopic(name, 1, 1, config=config) for name in names[at : at + BATCH]])
        for future in made.values():
            future.result(120)
    wait_until(admin, "raw", count)
    taken["up"] = time.monotonic() - started
    started = time.monotonic()
    for at in range(0, count, BATCH):
        for future in admin.delete_topics(names[at : at + BATCH]).values():
            future.result(120)
    wait_until(admin, "raw", 0)
    taken["destroy"] = time.monotonic() - started
    return taken


def script(folder: Path, command: str) -> Path:
    folder.mkdir()
    file = folder / PLUGIN
    file.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    file.chmod(0o755)
    return folder


class Stack(Project):
    """A project of the benchmark with a topology in a file."""

    def __init__(
        self, root: Path, plugin: Path, count: int, options: dict[str, str], *, program: str = OURS, mode: str = "one"
    ) -> None:
        super().__init__(root, plugin, count, options)
        (root / "program" / "__main__.py").write_text(program)
        (root / "topology.yaml").write_text(topology(count, root.name))
        self.run("config", "rm", "kafka-topology:rules")
        self.configure(path="topology.yaml", resources=mode, maxDeletes=str(count))

    def configure(self, **settings: str) -> None:
        words = [word for key, value in settings.items() for word in ("--plaintext", f"kafka-topology:{key}={value}")]
        self.run("config", "set-all", *words)


def row(command: str, floor: Taken, brokers: float, ours: Taken, limit: str) -> str:
    total = floor.clock + brokers
    return (
        f"{command:14} {floor} {brokers:8.1f}s {ours} {ours.clock / total:7.2f}  {limit:>7}  {os.getloadavg()[0]:4.1f}"
    )


def measure(count: int, arguments: argparse.Namespace, root: Path, kafka: LocalCluster, broker: int) -> list[Goal]:
    goals = []
    options = SKIP if arguments.skip_checkpoints else {}
    here = Path(__file__)
    noop = script(root / "noop", f'"{sys.executable}" "{here.with_name("noop_views.py")}"')
    own = Path(sys.executable).parent
    if arguments.profile:
        own = script(
            root / "profiled",
            f'"{sys.executable}" -m cProfile -o "{arguments.profile}/{count}-$$.prof" "{own / PLUGIN}"',
        )
    floor = Stack(root / "floor", noop, count, options, program=FLOOR)
    ours = Stack(root / "ours", own, count, options)
    ours.configure(bootstrapServers=kafka.bootstrap_servers)
    print(f"{count:,} topics, {'no checkpoints' if options else 'checkpoints as by default'}")
    print(f"{'':14} {'floor of the engine':>24} {'brokers':>9} {'ours':>24} {'ratio':>7}  at most  load")
    brokers = raw(kafka.bootstrap_servers, count)
    up = 0.0
    for command, words in COMMANDS.items():
        taken = ours.measure(broker, *words)
        limit = str(OF_THE_FLOOR) if command == "up" else f"{NO_CHANGE_LIMIT} s" if command == "up, no change" else ""
        up = taken.clock if command == "up" else up
        least = floor.measure(broker, *words)
        print(row(command, least, brokers.get(command, 0.0), taken, limit), flush=True)
        if command == "up":
            ratio = taken.clock / (least.clock + brokers[command])
            goals.append(Goal(f"up of one Topology, {count:,} topics / floor", ratio, OF_THE_FLOOR))
        elif limit:
            goals.append(Goal(f"{command}, one Topology, {count:,} topics", taken.clock, NO_CHANGE_LIMIT, "s"))
    print(f"memory of the plugin: {ours.memory} MiB, at most {MEMORY_LIMIT}")
    goals.append(Goal(f"memory of the plugin, one Topology, {count:,} topics", ours.memory, MEMORY_LIMIT, "MiB"))
    if arguments.each:
        each = Stack(root / "each", Path(sys.executable).parent, count, options, mode="each")
        each.configure(bootstrapServers=kafka.bootstrap_servers)
        taken = each.measure(broker, *COMMANDS["up"])
        each.run(*COMMANDS["destroy"])
        print(f"up with one resource per topic: {taken}, {taken.clock / up:.1f} times as long, at least {TIMES_FASTER}")
        what = f"one resource per topic, {count:,} topics / one Topology"
        goals.append(Goal(what, taken.clock / up, TIMES_FASTER, at_least=True))
    return goals


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, nargs="+", default=[100, 1000, 10000])
    parser.add_argument("--skip-checkpoints", action="store_true")
    parser.add_argument("--each", action="store_true", help="also one resource per topic")
    parser.add_argument("--profile", type=Path, help="a folder for profiles of our plugin")
    json_option(parser)
    arguments = parser.parse_args()
    goals: list[Goal] = []
    for count in arguments.topics:
        with tempfile.TemporaryDirectory() as name, LocalCluster(Path(name, "kafka"), delete_on_exit=True) as kafka:
            broker = kafka.status().brokers[0].pid or sys.exit("the broker does not run")
            warm_up(kafka.bootstrap_servers)
            goals += measure(count, arguments, Path(name), kafka, broker)
    save(arguments.json, goals)


if __name__ == "__main__":
    main()
