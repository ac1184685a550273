"""Parts of a topic on a real broker: since a moment, on from the last check, and a sample."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic
from delivering import SureProducer

from kafka_topology.sample_records import produce_sample
from kafka_topology.spark_checks import Options, Sample, Selection, State, check, parse_state
from kafka_topology.spark_checks.results.report import CheckResult, Report, TopicReport
from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS
from kafka_topology.topology.model.declared import Key, Topology

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Declare = Callable[..., Topology]
CreateTopic = Callable[..., str]
MURMUR2 = HASH_PARTITIONERS["murmur2"]


def result(report: TopicReport, check_id: str) -> CheckResult:
    return next(each for each in report.results if each.check == check_id)


def write(bootstrap: str, topic: str, keys: range, *, partitions: int, at: int = 0, wrong: int = 0) -> None:
    """Keys by murmur2, the first `wrong` of them one partition too far."""
    producer = SureProducer({"bootstrap.servers": bootstrap})
    for number in keys:
        key = f"key-{number}".encode()
        place = MURMUR2.partition(key, partitions)
        assert isinstance(place, int)
        off = 1 if number - keys.start < wrong else 0
        producer.produce(topic, b"{}", key, (place + off) % partitions, timestamp=at)
    producer.flush(30)


@pytest.fixture
def run(spark: SparkSession, bootstrap: str) -> Callable[..., Report]:
    def make(topology: Topology, **selection: object) -> Report:
        options = Options(selection=Selection(**selection))  # type: ignore[arg-type]
        return check(spark, topology, bootstrap_servers=bootstrap, options=options)

    return make


def test_since_a_moment(
    bootstrap: str, declare: Declare, create_topic: CreateTopic, run: Callable[..., Report]
) -> None:
    name = create_topic(3)
    moment = datetime(2026, 5, 1, tzinfo=UTC)
    ms = int(moment.timestamp() * 1000)
    write(bootstrap, name, range(100), partitions=3, at=ms - 1, wrong=5)
    write(bootstrap, name, range(200, 240), partitions=3, at=ms, wrong=2)
    topology = declare(name, 3, key=Key("string"), ordering="per-key")
    (report,) = run(topology, since=moment).topics
    assert report.records == 40
    assert report.partial == "only records since 2026-05-01T00:00:00Z were read"
    placement = result(report, "placement")
    assert (placement.status, placement.violations) == ("exact", 2)
    # An earlier record of a key could be later in time.
    order = result(report, "order")
    assert order.status == "bounded"
    later = run(topology, since=datetime(2100, 1, 1, tzinfo=UTC)).topics[0]
    assert (later.records, later.violations) == (0, 0)
    assert [each.pinned.start for each in later.ranges] == [each.pinned.end for each in report.ranges]


def test_incremental_reads_every_record_once(
    bootstrap: str, declare: Declare, create_topic: CreateTopic, run: Callable[..., Report]
) -> None:
    name = create_topic(3)
    topology = declare(name, 3, key=Key("string"))
    write(bootstrap, name, range(100), partitions=3, wrong=4)
    first = run(topology, state=State())
    assert first.state is not None
    assert (first.topics[0].records, first.violation_count, first.topics[0].partial) == (100, 4, None)
    # The state goes through its file form.
    state = parse_state(first.state.to_json())

    again = run(topology, state=state)
    assert (again.topics[0].records, again.violation_count) == (0, 0)
    assert again.state == state

    write(bootstrap, name, range(100, 150), partitions=3, wrong=1)
    second = run(topology, state=state)
    assert (second.topics[0].records, second.violation_count) == (50, 1)
    assert second.topics[0].partial == "only records after the last check were read"
    # Whoever lost the new state reads the same records again.
    assert run(topology, state=state).topics == second.topics
    assert second.state is not None

    # Deleted before they were read: a gap, and the rest is read.
    write(bootstrap, name, range(150, 300), partitions=3)
    admin = AdminClient({"bootstrap.servers": bootstrap})
    reached = second.state.topics[name].next
    delete = [TopicPartition(name, 0, reached[0] + 10), TopicPartition(name, 1, -1)]
    for future in admin.delete_records(delete).values():
        future.result(30)
    # And a partition more: it is read from its start.
    admin.create_partitions([NewPartitions(name, 4)])[name].result(30)
    wait_for_partitions(admin, name, 4)
    producer = SureProducer({"bootstrap.servers": bootstrap})
    for _ in range(7):
        producer.produce(name, b"{}", b"anything", 3)
    producer.flush(30)
    lossy = run(topology, state=second.state)
    third = lossy.topics[0]
    # Nobody has looked at what was deleted between two checks.
    assert third.missed == 10 + third.ranges[1].pinned.end - reached[1]
    assert lossy.unchecked
    assert {each.status for each in third.results if each.violations is not None} == {"bounded"}
    gaps = {each.pinned.partition: (each.pinned.start, each.deleted_to) for each in third.ranges}
    assert gaps[0] == (reached[0], reached[0] + 10)
    assert gaps[1] == (reached[1], third.ranges[1].pinned.end)
    assert (gaps[2][1], gaps[3][1]) == (None, None)
    assert third.ranges[1].records == 0
    assert third.ranges[0].records == third.ranges[0].pinned.end - reached[0] - 10
    assert third.ranges[2].records == third.ranges[2].pinned.end - reached[2]
    assert third.ranges[3].records == 7
    assert third.notes == ("partition 3 is new since the last check: read from its start",)


def wait_for_partitions(admin: AdminClient, name: str, count: int) -> None:
    deadline = time.monotonic() + 30
    while len(admin.list_topics(name, timeout=10).topics[name].partitions) < count:
        assert time.monotonic() < deadline


def test_a_recreated_topic_is_read_from_its_start(
    bootstrap: str, declare: Declare, create_topic: CreateTopic, run: Callable[..., Report]
) -> None:
    name = create_topic(2)
    topology = declare(name, 2, key=Key("string"))
    write(bootstrap, name, range(50), partitions=2)
    state = run(topology, state=State()).state
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.delete_topics([name])[name].result(30)
    recreate(admin, name)
    write(bootstrap, name, range(80), partitions=2)
    report = run(topology, state=state)
    assert report.topics[0].records == 80
    assert report.topics[0].notes == (
        "the topic was deleted and created again since the last check: read from its start",
    )
    assert report.state is not None
    assert state is not None
    assert report.state.topics[name].id != state.topics[name].id


def recreate(admin: AdminClient, name: str) -> None:
    """Deleting goes on after it was answered, and the name is free only then."""
    deadline = time.monotonic() + 30
    while True:
        try:
            admin.create_topics([NewTopic(name, 2, 1)])[name].result(30)
        except KafkaException:
            assert time.monotonic() < deadline
        else:
            return


def test_a_sample_is_a_certain_lower_bound(
    spark: SparkSession, bootstrap: str, declare: Declare, create_topic: CreateTopic, run: Callable[..., Report]
) -> None:
    name = create_topic(3)
    topology = declare(name, 3, key=Key("uuid", field="order_id"))
    planted = produce_sample(bootstrap, topology.topics[name], 3_000, {"misplaced": 300})
    (report,) = run(topology, sample=Sample(0.2, 5, strict=True)).topics
    assert report.sample is not None
    read = [(block.partition, offset) for block in report.sample.blocks for offset in range(block.start, block.end)]
    assert report.records == len(read) == report.sample.offsets < 1_000
    seen = {(each.partition, each.offset) for each in planted} & set(read)
    placement = result(report, "placement")
    assert placement.violations == len(seen) > 0
    assert {(each.position.partition, each.position.offset) for each in placement.examples} <= seen
    assert {each.status for each in report.results if each.check not in {"key-field", "skew"}} == {"bounded"}
    assert next(each for each in report.results if each.check == "skew").status == "not-checked"
    assert placement.estimate is not None
    assert len(seen) <= placement.estimate.low <= 300 <= placement.estimate.high
    shape = json.loads(json.dumps(Report((report,)).to_json()))["topics"][0]
    assert shape["sample"]["offsetsRead"] + shape["sample"]["offsetsNotRead"] == 3_300
    assert shape["records"] == report.records
    # So small a topic takes less time to read in full, and then everything is known.
    (full,) = run(topology, sample=Sample(0.2, 5)).topics
    assert (full.records, full.sample, full.partial) == (3_300, None, None)
    assert full.notes[0].startswith("read in full: that takes less time than a sample of 3,300 offsets")
    assert (result(full, "placement").status, result(full, "placement").violations) == ("exact", 300)
