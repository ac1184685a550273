"""Each setting that is a time or a size takes units, and Kafka gets the number in the setting's own unit."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kafka_topology.audit.check import value_text
from kafka_topology.provider.resources.importer import written_config
from kafka_topology.topology import Loaded, Topology
from kafka_topology.topology.kafka.catalogue import SCOPES, VERSIONS, catalogue
from kafka_topology.topology.kafka.clients.settings import client_settings
from kafka_topology.topology.kafka.quantities import quantity_of
from kafka_topology.topology.writing.show import as_plain

LoadText = Callable[..., Loaded]
Resolve = Callable[..., Topology]

# Numbers that count something else. A setting of a new Kafka version belongs here or among the quantities.
COUNTS = frozenset(
    """
    acceptable.recovery.lag background.threads broker.id buffered.records.per.partition flush.messages
    group.consumer.max.size group.coordinator.threads group.max.size group.share.delivery.count.limit
    group.share.max.groups group.share.max.share.sessions group.share.max.size
    group.share.partition.max.record.locks group.streams.max.size group.streams.max.standby.replicas
    group.streams.num.standby.replicas log.cleaner.threads max.connection.creation.rate max.connections
    max.connections.per.ip max.in.flight.requests.per.connection max.incremental.fetch.session.cache.slots
    max.poll.records max.request.partition.size.limit max.warmup.replicas metrics.num.samples min.insync.replicas
    node.id log.flush.interval.messages num.partitions num.replica.fetchers num.standby.replicas
    offsets.commit.required.acks password.encoder.iterations password.encoder.key.length queued.max.requests
    rack.aware.assignment.non_overlap_cost rack.aware.assignment.traffic_cost remote.log.reader.max.pending.tasks
    reserved.broker.max.id retries controlled.shutdown.max.retries
    share.coordinator.snapshot.update.records.per.snapshot share.fetch.max.fetch.records
    socket.listen.backlog.size streams.num.standby.replicas zookeeper.max.in.flight.requests
    zookeeper.metadata.migration.min.batch.size
    """.split()  # noqa: SIM905 - a table is easier to read
)
COUNTED = (
    ".window.num", ".level", ".requests", ".threads", ".replication.factor", ".num.partitions", ".codec", ".min.isr",
    ".percentage", ".ratio", ".factor", ".jitter", ".thread.pool.size", ".threads.per.data.dir",
)  # fmt: skip


def test_each_number_of_kafka_is_a_quantity_or_a_count() -> None:
    numbers = {
        name
        for version in VERSIONS
        for scope in SCOPES
        for name, key in catalogue(version).scope(scope).items()
        if key.type in ("short", "int", "long", "double")
    }
    unknown = {
        name
        for name in numbers
        if quantity_of(name) is None
        and name not in COUNTS
        and not name.endswith(COUNTED)
        and name not in ("num.stream.threads", "replication.factor")
    }
    assert unknown == set()
    assert {name for name in COUNTS if quantity_of(name) is not None} == set()


def test_no_text_of_kafka_takes_a_unit() -> None:
    texts = {
        name
        for version in VERSIONS
        for scope in SCOPES
        for name, key in catalogue(version).scope(scope).items()
        if key.type in ("string", "list", "class", "password", "boolean")
    }
    assert {name for name in texts if quantity_of(name) is not None} == set()


@pytest.mark.parametrize(
    ("name", "written", "number"),
    [
        ("max.request.size", "5MiB", "5242880"),
        ("batch.size", "64KiB", "65536"),
        ("buffer.memory", "64MB", "64000000"),
        ("linger.ms", "10ms", "10"),
        ("producer.max.request.size", "2MiB", "2097152"),
        ("topic.retention.ms", "1d", "86400000"),
        ("queue.buffering.max.kbytes", "2MiB", "2048"),
        ("retries", "5", "5"),
        ("client.id", "10s", "10s"),
        ("client.id", "5MiB", "5MiB"),
        ("log.cleaner.io.max.bytes.per.second", "10MB/s", "10000000"),
        ("log.cleaner.io.max.bytes.per.second", "1.7976931348623157E308", "1.7976931348623157E308"),
        ("log.retention.hours", "7d", "168"),
        ("log.retention.hours", "forever", "-1"),
        ("log.retention.hours", "-1", "-1"),
        ("log.retention.minutes", "2h", "120"),
        ("offsets.retention.minutes", "1w", "10080"),
        ("quota.window.size.seconds", "1m", "60"),
        ("sasl.kerberos.min.time.before.relogin", "1m", "60000"),
    ],
)
def test_kafka_gets_the_number_in_the_unit_of_the_setting(
    resolve: Resolve, name: str, written: str, number: str
) -> None:
    config = f"config: {{{name}: {written}}}"
    topology = resolve(
        f"version: 1\ncluster: {{defaults: {{{name}: {written}}}}}\n"
        f"topics: {{t: {{partitions: 1, replication: 1, {config}}}}}\n"
        f"producers: {{p: {{topics: [t], {config}}}}}\n"
        f"consumerGroups: {{g: {{topics: [t], {config}}}}}\nstreams: {{s: {{reads: [t], {config}}}}}\n"
    )
    held = (topology.cluster.defaults, topology.topics["t"].config, topology.producers["p"].config)
    assert {settings[name] for settings in held} == {number}
    assert topology.consumer_groups["g"].config[name] == topology.streams["s"].config[name] == number
    printed = {item.name: item.value for item in client_settings(topology)[0].properties}
    if name != "retries":  # which a promise of delivery may set
        assert printed[name] == number
    assert str(as_plain(topology)["topics"]["t"]["config"][name]) == number


@pytest.mark.parametrize(
    ("name", "written", "message"),
    [
        ("max.request.size", "10s", "expected a size such as 1MiB, or a whole number of bytes, found `10s`"),
        ("linger.ms", "5MiB", "expected a duration such as 30s or 7d, or a whole number of milliseconds, found `5MiB`"),
        ("linger.ms", "1.5", "expected a duration such as 30s or 7d, or a whole number of milliseconds, found `1.5`"),
        ("log.retention.hours", "90m", "expected a whole number of hours, found `90m`"),
        ("log.retention.minutes", "30s", "expected a whole number of minutes, found `30s`"),
        ("quota.window.size.seconds", "1500ms", "expected a whole number of seconds, found `1500ms`"),
        ("queue.buffering.max.kbytes", "1MB", "expected a whole number of KiB, found `1MB`"),
        (
            "log.cleaner.io.max.bytes.per.second",
            "10MB",
            "expected a rate such as 10MB/s, or a whole number of byte",
        ),
        ("log.retention.hours", "1GiB", "expected a duration such as 30s or 7d, or a whole number of hours, found `1G"),
    ],
)
def test_a_wrong_unit_is_an_error_at_its_place(load_text: LoadText, name: str, written: str, message: str) -> None:
    loaded = load_text(f"version: 1\ncluster:\n  defaults:\n    {name}: {written}\n")
    (found,) = loaded.problems
    assert (found.id, found.location.line, found.location.column) == ("KT003", 4, 7 + len(name))
    assert found.message.startswith(message)
    assert found.fix


def test_an_import_writes_units_that_read_back_equal() -> None:
    settings = {"log.retention.hours": "168", "max.request.size": "5242880", "retries": "1000", "x.y": "5242880"}
    written = {"log.retention.hours": "7d", "max.request.size": "5MiB", "retries": 1000, "x.y": 5242880}
    assert written_config(settings) == written


def test_an_audit_shows_units() -> None:
    assert value_text("log.retention.hours", "168") == "7d"
    assert value_text("log.retention.hours", "-1") == "forever"
    assert value_text("max.request.size", "5242880") == "5MiB"
    assert value_text("max.request.size", "-1") == "-1"
    assert value_text("retries", "5") == "5"
