"""Everything one run shares: the cluster, the proxies, the stacks, the traffic and the truth about them."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from delivering import SureProducer
from kafka_tools import Seen, everything_seen, run

from kafka_topology.local.processes.ports import free_ports
from kafka_topology.local.secured.private import write_private

from . import toxiproxy
from .cluster import TorturedCluster, Via
from .declaration import BAD_RECORDS, GOOD_RECORDS, Declaration
from .processes import Running
from .stack import WITHOUT_QUESTIONS, Stack

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).resolve().parents[1]
COMMAND = str(Path(sys.executable).with_name("kafka-topology"))


@dataclass
class Bench:
    """`chance` and `via` are those of the turn under way; `outside` is what nobody may change."""

    folder: Path
    cluster: TorturedCluster
    toxiproxy: toxiproxy.Toxiproxy
    stack: Stack
    short: Stack
    declared: Declaration = field(default_factory=Declaration)
    via: Via = "plain"
    chance: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311
    outside: Seen = field(default_factory=lambda: Seen({}, {}, {}, {}, {}, {}))
    granted: dict[str, set[str]] = field(default_factory=dict)  # to the declared clients, by principal
    traffic: subprocess.Popen[bytes] | None = None
    turn: int = 0
    runs: int = 0
    resting: int = 0  # the committed offset of a group without members, in every partition
    bad: int = 0  # records of t.records
    drifted: bool = False  # somebody else changed what is declared, in this turn
    notes: dict[str, Any] = field(default_factory=dict)  # what an operation or a fault remembers during a turn

    def admin(self) -> AdminClient:
        """A new one, directly and not through the proxies. Keep it in a variable until its calls are answered."""
        return AdminClient({"bootstrap.servers": self.cluster.bootstrap_servers, "log_level": 0})

    def reach(self, via: Via) -> None:
        self.via = via
        for stack in (self.stack, self.short):
            stack.reach(self.cluster, via)
        lines = [f"{name}={value}\n" for name, value in self.cluster.login(via).items()]
        write_private(self.client_config, "".join(lines))

    @property
    def client_config(self) -> Path:
        return self.folder / "client.properties"

    def command(self, *arguments: str, folder: Path | None = None) -> Running:
        """One of `kafka-topology`, on the cluster by this turn's listener."""
        self.runs += 1
        return Running(
            arguments[0],
            [COMMAND, *arguments],
            folder or self.folder,
            dict(os.environ),
            self.folder / f"command-{self.runs % 20}.log",
        )

    def set_resting(self, offset: int) -> None:
        """As somebody who moves the offsets of the group without members."""
        admin = self.admin()
        places = [TopicPartition("t.orders", partition, offset) for partition in range(3)]
        admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions("t.resting", places)])["t.resting"].result(60)

    def write_bad(self, count: int) -> None:
        """Records of t.records whose keys are no numbers."""
        producer = SureProducer({"bootstrap.servers": self.cluster.bootstrap_servers, "partitioner": "murmur2_random"})
        for number in range(count):
            producer.produce("t.records", key=f"no number {number}", value="{}")
        producer.flush(60)
        self.bad += count

    def seen(self) -> Seen:
        """By Kafka's own tools, which know nothing of this product."""
        return everything_seen(self.cluster)


@contextmanager
def prepared(folder: Path) -> Iterator[Bench]:
    """A running cluster with a stack on it, things of others beside it, and traffic."""
    with ExitStack() as open_:
        server = open_.enter_context(toxiproxy.running(free_ports(1)[0], folder / "toxiproxy.log"))
        cluster = TorturedCluster(folder / "kafka")
        cluster.add_proxies(server)
        open_.enter_context(cluster)
        bench = Bench(folder, cluster, server, Stack(folder / "stack"), Stack(folder / "short"))
        bench.reach("plain")
        _make_things_of_others(bench)
        bench.stack.declare(bench.declared.document())
        bench.stack.run("up", *WITHOUT_QUESTIONS)
        _write_records(bench)
        open_.enter_context(_traffic(bench))
        seen = bench.seen()
        bench.outside = outside(seen)
        clients = ("User:t-app", "User:t-reader", "User:t-resting")
        bench.granted = {principal: seen.acls[principal] for principal in clients}
        yield bench


def outside(seen: Seen) -> Seen:
    """What neither stack declares. Kafka lists the mechanisms of a user in any order."""
    parts = {}
    for name in ("topics", "acls", "users", "quotas", "offsets", "group_configs"):
        things = getattr(seen, name)
        parts[name] = {key: value for key, value in things.items() if not _is_ours(key)}
    parts["users"] = {name: ", ".join(sorted(logins.split(", "))) for name, logins in parts["users"].items()}
    return type(seen)(**parts)


def _is_ours(name: str) -> bool:
    bare = name.removeprefix("User:")
    return bare.startswith(("t.", "s.", "t-", "s-")) or "'t-" in name or "'s-" in name


def _make_things_of_others(bench: Bench) -> None:
    settings = {"min.insync.replicas": "2", "retention.ms": "777000000"}
    names = ("other.kept", "other.quiet")
    admin = bench.admin()  # kept in a variable: without one it ends before its call does
    for made in admin.create_topics([NewTopic(name, 1, 3, config=settings) for name in names]).values():
        made.result(60)
    cluster = bench.cluster
    run(
        cluster,
        "kafka-acls",
        "--add",
        "--allow-principal",
        "User:other",
        "--operation",
        "Read",
        "--topic",
        "other.kept",
    )
    for change in ("producer_byte_rate=4321", "SCRAM-SHA-512=[iterations=4096,password=other-password]"):
        run(
            cluster,
            "kafka-configs",
            "--alter",
            "--entity-type",
            "users",
            "--entity-name",
            "other",
            "--add-config",
            change,
        )
    offset = TopicPartition("other.quiet", 0, 0)
    group = ConsumerGroupTopicPartitions("other.group", [offset])
    admin.alter_consumer_group_offsets([group])["other.group"].result(60)


def _write_records(bench: Bench) -> None:
    """What `check` looks at: good keys, and bad ones that it must count or say that it could not."""
    producer = SureProducer({"bootstrap.servers": bench.cluster.bootstrap_servers, "partitioner": "murmur2_random"})
    for number in range(GOOD_RECORDS):
        producer.produce("t.records", key=number.to_bytes(8, "big"), value=json.dumps({"n": number}))
    for number in range(500):
        producer.produce("t.moved", key=str(number), value="x" * 1000)
    producer.flush(60)
    bench.write_bad(BAD_RECORDS)


@contextmanager
def _traffic(bench: Bench) -> Iterator[None]:
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-m", "torture.traffic", str(bench.folder), bench.cluster.servers("plain")]
    with subprocess.Popen(command, env=environment, start_new_session=True) as process:
        bench.traffic = process
        try:
            deadline = time.monotonic() + 60
            acknowledged = bench.folder / "acknowledged"
            while not (acknowledged.exists() and acknowledged.stat().st_size):
                assert process.poll() is None, "the traffic ended"
                assert time.monotonic() < deadline, "no traffic"
                time.sleep(0.1)
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
