"""An audit of a cluster with many troubles reports exactly those, and of one that is being restarted, nothing.

Each row of `TROUBLES` plants something with real clients and Kafka's own tools, and says what must be reported. Add a
row for a new check. Nothing is planted by our own requests: what they misread, an audit would misread, too.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from auditing import all_done, audit, found, wait_until, wait_until_empty
from confluent_kafka import Consumer, ConsumerGroupState, ElectionType, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from delivering import SureProducer
from kafka import KafkaAdminClient
from kafka import TopicPartition as OfKafkaPython
from kafka_tools import run
from listening import swallowing
from prometheus_text import parsed
from troubles import configure

from kafka_topology.local import LocalCluster

if TYPE_CHECKING:
    from collections.abc import Callable

PROGRAM = Path(sys.executable).with_name("kafka-topology")
HOUR_MS = 3_600_000
DECLARED = """\
version: 1
cluster:
  kafka: "4.1"
  brokers: 3
  racks: [a, b, c]
  controllers: 5
  defaults: {auto.create.topics.enable: true}
ownership: {topics: [t.], groups: [t.], principals: ["User:t-"]}
profiles:
  event: {replication: 3, config: {min.insync.replicas: 2}}
  two: {partitions: 1, replication: 2, config: {min.insync.replicas: 1}}
topics:
  t.gone: {profile: event, partitions: 1}
  t.narrow: {profile: two, partitions: 2}
  t.thin: {profile: event, partitions: 1}
  t.kept: {profile: two, retention: 1d}
  t.set: {profile: two}
  t.above: {partitions: 1, replication: 2, config: {min.insync.replicas: 3}}
  t.only: {partitions: 1, replication: 1}
  t.stuck: {partitions: 1, replication: 3, config: {min.insync.replicas: 3}}
  t.tight: {profile: event, partitions: 1}
  t.safe: {partitions: 1, replication: 3, config: {min.insync.replicas: 1}}
  t.log: {profile: two}
  t.old: {profile: two}
  t.wide: {profile: two, partitions: 2}
  t.transactions: {profile: two}
producers:
  t-checkout: {principal: "User:t-checkout", topics: [t.log]}
consumerGroups:
  t.lost: {topics: [t.log], start: earliest}
  t.empty: {topics: [t.log]}
  t.behind: {topics: [t.log], maxLag: 5}
  t.late: {topics: [t.old], maxLag: 5m}
  t.held: {topics: [t.transactions], maxLag: 0, config: {isolation.level: read_committed}}
  t.half: {topics: [t.wide]}
  t.deleted: {topics: [t.old]}
  t.beyond: {topics: [t.log]}
  t.crowd: {topics: [t.log], members: 1, groupConfig: {consumer.session.timeout.ms: 50s}}
users:
  t-missing: {mechanism: SCRAM-SHA-256, password: {secret: p}}
  t-other: {mechanism: SCRAM-SHA-512, password: {secret: p}, iterations: 8192}
quotas:
  - {user: t-other, producerByteRate: 5MB/s}
"""


@dataclass
class Site:
    """A running cluster, and the clients that plant troubles. Consumers and producers live until the test ends."""

    kafka: LocalCluster
    admin: AdminClient
    held: ExitStack

    def create(self, topic, placement, **config):
        """Topics of `two` are on brokers 1 and 2, which stay up."""
        made = NewTopic(
            topic,
            len(placement),
            replica_assignment=placement,
            config={k.replace("_", "."): v for k, v in config.items()},
        )
        all_done(self.admin.create_topics([made]))

    def write(self, topic, records=9, partition=0, timestamp=None):
        producer = SureProducer({"bootstrap.servers": self.kafka.bootstrap_servers})
        for _ in range(records):
            producer.produce(
                topic, b"x", partition=partition, **({} if timestamp is None else {"timestamp": timestamp})
            )
        producer.flush(30)

    def consumer(self, group, **settings):
        client = {"bootstrap.servers": self.kafka.bootstrap_servers, "group.id": group, "enable.auto.commit": False}
        return Consumer({**client, **{key.replace("_", "."): value for key, value in settings.items()}})

    def commit(self, group, topic, offset, partition=0):
        """By a consumer that assigns its partitions itself, so the group needs no members."""
        with closing(self.consumer(group)) as consumer:
            consumer.commit(offsets=[TopicPartition(topic, partition, offset)], asynchronous=False)


@dataclass(frozen=True)
class Trouble:
    """What `plant` does makes an audit report these rules about this resource."""

    rules: str
    resource: str
    plant: Callable[[Site], object]


def topic(name, placement, **config):
    return lambda site: site.create(name, placement, **config)


def of_two(name, partitions=1, **config):
    return topic(name, [[1, 2]] * partitions, min_insync_replicas="1", **config)


def committed(group, at, offset):
    return lambda site: site.commit(group, at, offset)


def late(site):
    site.create("t.old", [[1, 2]], min_insync_replicas="1")
    site.write("t.old", timestamp=round(time.time() * 1000) - HOUR_MS)
    site.commit("t.late", "t.old", 8)


def held_back(site):
    site.create("t.transactions", [[1, 2]], min_insync_replicas="1")
    site.commit("t.held", "t.transactions", 0)
    patient = {"transactional.id": "t-open", "transaction.timeout.ms": 600_000}
    producer = Producer({"bootstrap.servers": site.kafka.bootstrap_servers, **patient})
    site.held.callback(lambda: producer)  # a producer that is gone would abort its transaction
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce("t.transactions", b"x", partition=0)
    producer.flush(30)


def deleted(site):
    site.commit("t.deleted", "t.old", 2)
    all_done(site.admin.delete_records([TopicPartition("t.old", 0, 4)]))


def half(site):
    site.create("t.wide", [[1, 2]] * 2, min_insync_replicas="1")
    for partition in (0, 1):
        site.write("t.wide", 1, partition)
    site.commit("t.half", "t.wide", 1)


def empty(site):
    """Its only member has left, and nothing waits."""
    with closing(site.consumer("t.empty")) as consumer:
        consumer.subscribe(["t.log"])
        wait_until(lambda: consumer.poll(0.1) or consumer.assignment())
        consumer.commit(offsets=[TopicPartition("t.log", 0, 9)], asynchronous=False)


def crowd(site):
    members = [site.held.enter_context(closing(site.consumer("t.crowd"))) for _ in range(2)]
    for member in members:
        member.subscribe(["t.log"])

    def is_stable():
        for member in members:
            member.poll(0.1)
        group = site.admin.describe_consumer_groups(["t.crowd"])["t.crowd"].result(30)
        return group.state is ConsumerGroupState.STABLE and len(group.members) == 2

    wait_until(is_stable)
    members[0].commit(offsets=[TopicPartition("t.log", 0, 9)], asynchronous=False)
    site.held.enter_context(Polled(members))


def stray_group(site):
    start = ("--reset-offsets", "--to-earliest", "--execute")
    run(site.kafka, "kafka-consumer-groups", "--group", "t.stray", "--topic", "t.log", *start)


def access(principal, operation, topic):
    what = ("--allow-principal", principal, "--operation", operation, "--topic", topic)
    return lambda site: run(site.kafka, "kafka-acls", "--add", *what)


def of_user(name, config):
    """A quota, or `MECHANISM=[iterations=…,password=…]`; without a name, for everybody."""
    return lambda site: configure(site.kafka, "users", name, add=config)


def nothing(site):
    """It is a wrong declaration, or follows from the lost broker."""


TROUBLES = (
    Trouble("101", "t.gone", nothing),
    Trouble("102", "t.narrow", of_two("t.narrow")),
    Trouble("103", "t.thin", topic("t.thin", [[1, 2]], min_insync_replicas="2")),
    Trouble("104", "t.kept", of_two("t.kept", retention_ms=str(HOUR_MS))),
    Trouble("105", "t.set", of_two("t.set", segment_ms=str(HOUR_MS))),
    Trouble("106", "t.stray", of_two("t.stray")),
    Trouble("208", "t.above", topic("t.above", [[1, 2]], min_insync_replicas="3")),
    Trouble("", "t.log", of_two("t.log")),
    Trouble("", "t.log", lambda site: site.write("t.log")),
    Trouble("301", "t.lost", nothing),
    Trouble("302", "t.empty", empty),
    Trouble("304", "t.behind", committed("t.behind", "t.log", 2)),
    Trouble("304", "t.late", late),
    Trouble("309", "t.deleted", deleted),
    Trouble("320", "t.held", held_back),
    Trouble("303", "t.half", half),
    Trouble("310", "t.beyond", committed("t.beyond", "t.log", 99)),
    Trouble("305 306 307", "t.crowd", crowd),
    Trouble("308", "t.stray", stray_group),
    Trouble("401", "User:t-checkout", nothing),
    Trouble("402", "User:t-stranger", access("User:t-stranger", "Read", "elsewhere")),
    Trouble("411", "t-missing", nothing),
    Trouble("412", "t-other", of_user("t-other", "SCRAM-SHA-512=[iterations=4096,password=other]")),
    Trouble("413", "t-stray", of_user("t-stray", "SCRAM-SHA-256=[iterations=4096,password=other]")),
    Trouble("421", "user=t-other", of_user("t-other", "producer_byte_rate=1000")),
    Trouble("422", "user=t-stray", of_user("t-stray", "request_percentage=5")),
    Trouble("423", "user=default", of_user(None, "producer_byte_rate=987654321000")),
    # Broker 3 dies.
    Trouble("201", "t.only", topic("t.only", [[3]])),
    Trouble("202", "t.stuck", topic("t.stuck", [[1, 2, 3]], min_insync_replicas="3")),
    Trouble("203", "t.tight", topic("t.tight", [[3, 1, 2]], min_insync_replicas="2")),
    Trouble("204", "t.safe", topic("t.safe", [[1, 2, 3]], min_insync_replicas="1")),
    Trouble("206 501 503 504", "cluster", lambda site: site.kafka.kill(3)),
)
HEALTHY = """\
version: 1
cluster: {kafka: "4.1", brokers: 3, racks: [a, b, c], controllers: 3}
topics:
  calm.orders: {partitions: 3, replication: 3, config: {min.insync.replicas: 2}}
  calm.moving: {partitions: 1, replication: 2, config: {min.insync.replicas: 1}}
consumerGroups:
  calm.billing: {topics: [calm.orders], members: 2, maxLag: 10}
"""


SILENT = """\
version: 1
topics:
  calm.silent: {partitions: 3, replication: 3, config: {min.insync.replicas: 2}}
consumerGroups:
""" + "".join(f"  calm.{group}: {{topics: [calm.silent], maxLag: 10}}\n" for group in range(6))
SILENT += "rules: {KTA206: {severity: off}}  # its partitions are led elsewhere afterwards\n"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with LocalCluster(tmp_path_factory.mktemp("troubles") / "kafka", brokers=3, delete_on_exit=True) as cluster:
        yield cluster


@pytest.fixture
def site(cluster):
    settings = {"bootstrap.servers": cluster.bootstrap_servers}
    with ExitStack() as held:
        yield Site(cluster, AdminClient(settings), held)


class Polled:
    """Consumers that go on polling in a thread, as applications do."""

    def __init__(self, consumers):
        self.consumers = list(consumers)
        self.lock = threading.Lock()
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join(30)

    def run(self):
        while not self.is_over.is_set():
            with self.lock:
                for consumer in self.consumers:
                    consumer.poll(0.05)


@contextmanager
def paused(kafka, broker):
    """Its connections stay open, and nobody answers: as on a lost network, or a machine that hangs."""
    pid = next(each.pid for each in kafka.status().brokers if each.id == broker)
    os.kill(pid, signal.SIGSTOP)
    try:
        yield kafka.bootstrap_servers.split(",")[broker - 1]
    finally:
        os.kill(pid, signal.SIGCONT)


@contextmanager
def cut_off(kafka, broker):
    """Packets that open a connection to it are dropped."""
    with paused(kafka, broker) as address, swallowing(address):
        yield address


def restart(kafka, broker):
    """As a deployment does: a clean stop, a start, and then the next broker."""
    pid = next(each.pid for each in kafka.status().brokers if each.id == broker)
    os.kill(pid, signal.SIGTERM)
    return lambda: wait_until(lambda: not next(b.pid for b in kafka.status().brokers if b.id == broker), 90)


def test_a_broker_that_does_not_answer_is_named_in_time(site, tmp_path):
    """The others list it until its session ends. What was asked of it meanwhile is unknown, and never fine."""
    file = tmp_path / "topology.yaml"
    file.write_text(SILENT)
    site.create("calm.silent", [[1, 2, 3], [2, 3, 1], [3, 1, 2]], min_insync_replicas="2")
    for group in range(6):
        site.commit(f"calm.{group}", "calm.silent", 0)
    bootstrap, timeout = ("--bootstrap", site.kafka.bootstrap_servers), 4
    wait_until_empty(lambda: (found((seen := audit(file, *bootstrap))[1]), Counter(), *seen))
    for hole in (paused, cut_off):
        with hole(site.kafka, 2) as address:
            started = time.monotonic()
            code, document = audit(file, *bootstrap, "--timeout", str(timeout))
            took = time.monotonic() - started
            said = [*document["couldNotCheck"], *(each["message"] for each in document["findings"])]
            assert code in {1, 3}, said
            assert any(address in each or "1 broker missing: 1, 3 up" in each for each in said), said
            assert all(each.count("look") <= 1 and each.count(" more") <= 1 for each in said), said
            assert took < timeout + 4, took
        wait_until_empty(lambda: (found((seen := audit(file, *bootstrap))[1]), Counter(), *seen))


def test_nothing_is_reported_of_a_cluster_that_is_restarted_if_it_recovers(site, tmp_path):
    file = tmp_path / "topology.yaml"
    file.write_text(HEALTHY)
    bootstrap = ("--bootstrap", site.kafka.bootstrap_servers)
    site.create("calm.orders", [[1, 2, 3], [2, 3, 1], [3, 1, 2]], min_insync_replicas="2")
    site.create("calm.moving", [[1, 2]], min_insync_replicas="1")
    settings = {"auto_offset_reset": "earliest", "enable_auto_commit": True, "auto_commit_interval_ms": 200}
    members = [site.held.enter_context(closing(site.consumer("calm.billing", **settings))) for _ in range(2)]
    for member in members:
        member.subscribe(["calm.orders"])
    readers = site.held.enter_context(Polled(members))
    for partition in range(3):
        site.write("calm.orders", 3, partition)
    wait_until_empty(lambda: (found((seen := audit(file, *bootstrap))[1]), Counter(), *seen))

    restart(site.kafka, 1)()
    _, document = wait_until(lambda: seen if (seen := audit(file, *bootstrap))[0] == 1 else None)
    assert {("KTA501", "cluster"), ("KTA203", "calm.orders")} <= found(document).keys()
    command = [str(PROGRAM), "audit", str(file), *bootstrap, "--for", "5m", "--format", "json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as patient:
        assert "looking again for up to" in patient.stderr.readline()  # its first look found what we did
        site.kafka.start()
        for broker in (2, 3):
            restart(site.kafka, broker)()
            site.kafka.start()
        with closing(KafkaAdminClient(bootstrap_servers=site.kafka.bootstrap_servers)) as client:
            client.alter_partition_reassignments({OfKafkaPython("calm.moving", 0): [3, 1]})
        third = site.consumer("calm.billing", **settings)
        third.subscribe(["calm.orders"])
        readers.consumers.append(third)
        wait_until(third.assignment, 90)
        with readers.lock:
            readers.consumers.remove(third)
        third.close()
        site.admin.elect_leaders(ElectionType.PREFERRED).result(60)
        stdout, stderr = patient.communicate(timeout=240)
    document = json.loads(stdout)
    assert (patient.returncode, document["findings"], document["couldNotCheck"]) == (0, [], []), stderr


def test_exactly_the_planted_troubles_are_reported(site, tmp_path):
    file, metrics = tmp_path / "topology.yaml", tmp_path / "audit.prom"
    file.write_text(DECLARED)
    for trouble in TROUBLES:
        trouble.plant(site)
    planted = Counter((f"KTA{rule}", trouble.resource) for trouble in TROUBLES for rule in trouble.rules.split())
    # The broker that is down votes, and held replicas of Kafka's own topics.
    planted.update([("KTA213", "__consumer_offsets"), ("KTA213", "__transaction_state"), ("KTA512", "cluster")])
    assert len(planted) > 30

    def difference():
        result = audit(file, "--bootstrap", site.kafka.bootstrap_servers, "--format", f"prometheus={metrics}")
        reported = found(result[1])
        return reported - planted, planted - reported, *result

    # Brokers learn of what was planted one after the other.
    *_, code, document = wait_until_empty(difference)
    assert (code, document["couldNotCheck"]) == (1, [])
    said = {(each["rule"], each["resource"]): each for each in document["findings"]}
    assert said["KTA304", "t.late"]["message"].startswith("t.late has not read a record of t.old 0 that is 1h")
    assert "(t-open) holds back 1 offset from it" in said["KTA320", "t.held"]["message"]
    assert "t.behind is 7 records behind, the oldest" in said["KTA304", "t.behind"]["message"]
    numbers = parsed(metrics.read_text())
    lag = {"group": "t.late", "topic": "t.old", "partition": "0"}
    assert numbers.of("kafka_topology_group_lag_records", **lag) == [1]
    assert numbers.of("kafka_topology_group_lag_seconds", **lag)[0] > 3_500
    assert numbers.of("kafka_topology_topic_in_sync_replicas", topic="t.stuck") == [2]
    assert numbers.of("kafka_topology_finding", rule="KTA320", resource="t.held", severity="error") == [1]
    assert numbers.of("kafka_topology_success") == [1]
    assert numbers.of("kafka_topology_findings", severity="error") == [document["summary"]["error"]]
