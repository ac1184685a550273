"""What our provider adds to the engine's own time: up, an up without changes, refresh, and destroy.

python benchmarks/pulumi_up.py                      100 topics, checkpoints as they are by default
python benchmarks/pulumi_up.py --topics 1000 --skip-checkpoints --parallel 64

Both providers run in turn on the same machine, so the ratio is what counts. With the file backend the
engine rewrites its state at every step; `--skip-checkpoints` sets PULUMI_SKIP_CHECKPOINTS, which is what
a large topology should use: creation adopts what is already there, so nothing is lost by it. `--parallel` is the
engine's option: how many resources it has under way, by default four for each core.

The broker runs on the same machine. Beside the seconds stand those of the processors: of the engine, the program
and the plugin together, and of the broker. They show where the time goes, even on a busy machine.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, astuple, dataclass
from pathlib import Path

from confluent_kafka.admin import AdminClient, NewTopic
from results import Goal, json_option, save

from kafka_topology.local import LocalCluster

PLUGIN = "pulumi-resource-kafka-topology"
NOTHING = "noop_provider.py"
PROGRAM = """\
import os

from kafka_topology.sdk import Topic
from kafka_topology.program.waiting import wait_for

wait_for(
    [
        Topic(f"bench-{number:05}", partitions=1, replication=1, deletion="force", config={"retention.ms": "60000"})
        for number in range(int(os.environ["TOPICS"]))
    ]
)
"""
COMMANDS = {
    "up": ("up", "--yes", "--skip-preview"),
    "up, no change": ("up", "--yes", "--skip-preview", "--expect-no-changes"),
    "refresh": ("refresh", "--yes", "--skip-preview"),
    "destroy": ("destroy", "--yes", "--skip-preview"),
}
REPEATABLE = ("up, no change", "refresh")
LIMITS = {"up": 1.3, "up, no change": 1.15, "refresh": 1.5}
MEMORY_LIMIT = 150
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Taken:
    """Seconds of the clock, of the processors for the engine and all it starts, and for the broker."""

    clock: float
    engine: float
    broker: float

    def __str__(self) -> str:
        return f"{self.clock:8.1f}s ({self.engine:5.1f} + {self.broker:4.1f})"


class Project:
    def __init__(self, root: Path, plugin: Path, topics: int, options: dict[str, str]) -> None:
        (root / "program").mkdir(parents=True)
        (root / "program" / "__main__.py").write_text(PROGRAM)
        (root / "state").mkdir()
        (root / "Pulumi.yaml").write_text(
            "name: bench\nruntime: python\nmain: program/\n"
            f"plugins: {{providers: [{{name: kafka-topology, path: '{plugin}'}}]}}\n"
        )
        self.root = root
        self.memory = 0
        self.environment = {
            **os.environ,
            **options,
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
            "PULUMI_BACKEND_URL": (root / "state").as_uri(),
            "PULUMI_HOME": str(root / "home"),
            "PULUMI_CONFIG_PASSPHRASE": "bench",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_DISABLE_REGISTRY_RESOLVE": "true",
            "TOPICS": str(topics),
        }
        self.run("stack", "init", "dev")
        # One broker has room for one replica of a topic; all other rules run and are measured.
        self.run("config", "set", "kafka-topology:rules", json.dumps({"severity": {"KT103": "off"}}))

    def run(self, *arguments: str) -> float:
        started = time.monotonic()
        with subprocess.Popen(
            ["pulumi", "--non-interactive", "--color", "never", *arguments],
            cwd=self.root,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            watch = threading.Thread(target=self._watch, args=[process], daemon=True)
            watch.start()
            output, _ = process.communicate()
            seconds = time.monotonic() - started
            watch.join()
        if process.returncode:
            sys.exit(f"pulumi {' '.join(arguments)} failed:\n{output}")
        return seconds

    def measure(self, broker: int, *arguments: str) -> Taken:
        wait_for_rest(broker)  # else one command pays for what the one before it left to do
        engine_before, broker_before = processor_time_of_children(), processor_time(broker)
        seconds = self.run(*arguments)
        return Taken(seconds, processor_time_of_children() - engine_before, processor_time(broker) - broker_before)

    def _watch(self, process: subprocess.Popen[str]) -> None:
        """The most memory that a plugin of this engine has had, in MiB."""
        while process.poll() is None:
            for child in children(process.pid):
                self.memory = max(self.memory, peak_memory(child))
            time.sleep(0.2)


def median(turns: list[Taken]) -> Taken:
    return Taken(*map(statistics.median, zip(*map(astuple, turns), strict=True)))


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task").glob("*/children")
    pids = [int(child) for file in found for child in read(file).split()]
    commands = {pid: read(Path(f"/proc/{pid}/cmdline")) for pid in pids}
    return [pid for pid, command in commands.items() if PLUGIN in command or NOTHING in command]


def peak_memory(pid: int) -> int:
    lines = [line for line in read(Path(f"/proc/{pid}/status")).splitlines() if line.startswith("VmHWM")]
    return int(lines[0].split()[1]) // 1024 if lines else 0


def processor_time(pid: int) -> float:
    fields = read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def wait_for_rest(pid: int) -> None:
    deadline = time.monotonic() + 60
    before = processor_time(pid)
    while time.monotonic() < deadline:
        time.sleep(1)
        now = processor_time(pid)
        if now - before < 0.1:
            return
        before = now


def processor_time_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


def noop_plugin(folder: Path) -> Path:
    folder.mkdir()
    script = folder / PLUGIN
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{Path(__file__).with_name(NOTHING)}" "$@"\n')
    script.chmod(0o755)
    return folder


def warm_up(servers: str) -> None:
    """A broker that has just started takes its time for the first topics."""
    admin = AdminClient({"bootstrap.servers": servers})
    names = [f"warm-{number}" for number in range(100)]
    for at in range(0, len(names), 5):
        for future in admin.create_topics([NewTopic(name, 1, 1) for name in names[at : at + 5]]).values():
            future.result(60)
    for future in admin.delete_topics(names).values():
        future.result(60)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--skip-checkpoints", action="store_true")
    parser.add_argument("--parallel", type=int)
    parser.add_argument("--repeat", type=int, default=3, help="turns of what changes nothing; their medians are shown")
    json_option(parser)
    arguments = parser.parse_args()
    goals, rows = [], []
    options = {"PULUMI_SKIP_CHECKPOINTS": "true", "PULUMI_EXPERIMENTAL": "true"} if arguments.skip_checkpoints else {}
    if arguments.parallel:
        options["PULUMI_PARALLEL"] = str(arguments.parallel)
    with tempfile.TemporaryDirectory() as name, LocalCluster(Path(name, "kafka"), delete_on_exit=True) as kafka:
        root = Path(name)
        nothing = Project(root / "nothing", noop_plugin(root / "plugin"), arguments.topics, options)
        ours = Project(root / "ours", Path(sys.executable).parent, arguments.topics, options)
        broker = kafka.status().brokers[0].pid or sys.exit("the broker does not run")
        for project in (nothing, ours):
            project.run("config", "set", "kafka-topology:bootstrapServers", kafka.bootstrap_servers)
            project.run("config", "set", "kafka-topology:maxDeletes", str(arguments.topics))
        warm_up(kafka.bootstrap_servers)
        print(f"{arguments.topics} topics on {os.cpu_count()} cores; in brackets: processor time, engine + broker")
        print(f"{'':14} {'nothing':>24} {'ours':>24} {'ratio':>7}  at most  load")
        for command, words in COMMANDS.items():
            turns = arguments.repeat if command in REPEATABLE else 1
            pairs = [(nothing.measure(broker, *words), ours.measure(broker, *words)) for _ in range(turns)]
            base, taken = median([pair[0] for pair in pairs]), median([pair[1] for pair in pairs])
            ratio, limit, load = taken.clock / base.clock, LIMITS.get(command, ""), os.getloadavg()[0]
            print(f"{command:14} {base} {taken} {ratio:7.2f}  {limit:7}  {load:4.1f}", flush=True)
            rows.append({"command": command, "nothing": asdict(base), "ours": asdict(taken), "load": load})
            if command in LIMITS:
                goals.append(Goal(f"{command}, {arguments.topics:,} topics / nothing", ratio, LIMITS[command]))
        print(f"memory of the plugin: {ours.memory} MiB, at most {MEMORY_LIMIT} ({nothing.memory} for nothing)")
    goals.append(Goal(f"memory of the plugin, {arguments.topics:,} topics", ours.memory, MEMORY_LIMIT, "MiB"))
    save(arguments.json, goals, rows)


if __name__ == "__main__":
    main()
