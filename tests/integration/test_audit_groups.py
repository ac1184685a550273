"""An audit of groups on real brokers: markers of transactions, deleted records, a topic created again, members."""

from __future__ import annotations

import json
import time
from contextlib import closing
from uuid import uuid4

import pytest
from click.testing import CliRunner
from confluent_kafka import Consumer, ConsumerGroupState, Producer, TopicPartition
from confluent_kafka.admin import NewTopic
from delivering import SureProducer
from kafka_tools import run

from kafka_topology.cli.main import main


@pytest.fixture
def name():
    return f"groups{uuid4().hex[:8]}"


@pytest.fixture
def audited(kafka, tmp_path):
    """The findings about these consumer groups, by group, and what could not be checked."""

    def look(topics, groups):
        file = tmp_path / "topology.yaml"
        declared = "".join(f"  {topic}: {{partitions: {count}, replication: 1}}\n" for topic, count in topics.items())
        reading = "".join(f"  {group}: {declaration}\n" for group, declaration in groups.items())
        file.write_text(f"version: 1\ntopics:\n{declared}consumerGroups:\n{reading}")
        result = CliRunner().invoke(
            main, ["audit", str(file), "--format", "json", "--bootstrap", kafka.bootstrap_servers]
        )
        document = json.loads(result.stdout)
        assert document["couldNotCheck"] == []
        lags = {each["group"]: each["lag"] for each in document["live"]["groups"]}
        found = {group: [f["rule"] for f in document["findings"] if f["resource"] == group] for group in groups}
        return found, lags

    return look


def create(admin, topic, partitions=1):
    admin.create_topics([NewTopic(topic, partitions, 1)])[topic].result(30)


def written(kafka, topic, *, commit=True, records=3):
    """A transaction; the end of the log is one offset after its last record."""
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, "transactional.id": uuid4().hex})
    producer.init_transactions(30)
    producer.begin_transaction()
    for _ in range(records):
        producer.produce(topic, b"x", partition=0)
    if commit:
        producer.commit_transaction(30)
    else:
        producer.flush(30)
        producer.abort_transaction(30)


def committed(kafka, group, topic, offset):
    """By a consumer that assigns its partitions itself, as those of Flink do."""
    client = {"bootstrap.servers": kafka.bootstrap_servers, "group.id": group, "enable.auto.commit": False}
    with closing(Consumer(client)) as consumer:
        consumer.commit(offsets=[TopicPartition(topic, 0, offset)], asynchronous=False)


def test_markers_and_aborted_records_do_not_wait_for_anybody(kafka, admin, audited, name):
    create(admin, topic := f"{name}.orders")
    written(kafka, topic)  # records 0 to 2, a marker at 3
    written(kafka, topic, commit=False)  # records 4 to 6, a marker at 7
    for group, offset in {"done": 7, "behind": 2, "careful": 3, "plain": 3, "late": 2}.items():
        committed(kafka, f"{name}.{group}", topic, offset)
    reads = f"{{topics: [{topic}], maxLag: 0}}"
    careful = f"{{topics: [{topic}], maxLag: 0, config: {{isolation.level: read_committed}}}}"
    found, lags = audited(
        {topic: 1},
        {f"{name}.{group}": reads for group in ("done", "behind", "plain")}
        | {f"{name}.{group}": careful for group in ("careful", "late")},
    )
    # `plain` reads the three aborted records, too.
    assert lags == {f"{name}.{g}": n for g, n in {"done": 0, "behind": 4, "plain": 3, "careful": 0, "late": 1}.items()}
    assert found == {
        f"{name}.done": [],
        f"{name}.behind": ["KTA304"],
        f"{name}.plain": ["KTA304"],
        f"{name}.careful": [],
        f"{name}.late": ["KTA304"],
    }


def test_many_aborted_records_are_no_lag_of_a_group_that_never_gets_them(kafka, admin, audited, name):
    create(admin, topic := f"{name}.orders")
    written(kafka, topic)
    for _ in range(3):
        written(kafka, topic, commit=False, records=10)  # 33 offsets
    committed(kafka, f"{name}.careful", topic, 4)
    committed(kafka, f"{name}.plain", topic, 4)
    careful = f"{{topics: [{topic}], maxLag: 5, config: {{isolation.level: read_committed}}}}"
    found, lags = audited(
        {topic: 1}, {f"{name}.careful": careful, f"{name}.plain": f"{{topics: [{topic}], maxLag: 5}}"}
    )
    assert lags == {f"{name}.careful": 0, f"{name}.plain": 30}
    assert found == {f"{name}.careful": [], f"{name}.plain": ["KTA304"]}


def test_records_that_were_deleted_and_a_topic_that_was_created_again(kafka, admin, audited, name):
    topics = {f"{name}.trimmed": 1, f"{name}.again": 1, f"{name}.emptied": 1}
    producer = SureProducer({"bootstrap.servers": kafka.bootstrap_servers})
    for topic in topics:
        create(admin, topic)
        for _ in range(9):
            producer.produce(topic, b"x", partition=0)
    producer.flush(30)
    for topic in topics:
        committed(kafka, f"{topic}-reader", topic, 5)
    for future in admin.delete_records([TopicPartition(f"{name}.trimmed", 0, 7)]).values():
        future.result(30)
    for future in admin.delete_records([TopicPartition(f"{name}.emptied", 0, 9)]).values():
        future.result(30)
    admin.delete_topics([f"{name}.again"])[f"{name}.again"].result(30)
    deadline = time.monotonic() + 60
    while True:
        try:
            create(admin, f"{name}.again")
            break
        except Exception:  # noqa: BLE001 - the brokers are still deleting the old one
            assert time.monotonic() < deadline
            time.sleep(0.1)
    readers = {f"{topic}-reader": f"{{topics: [{topic}]}}" for topic in topics}
    # Nobody reads this one: it has no offset, and nothing to read either.
    found, _ = audited(topics, {**readers, f"{name}.nobody": f"{{topics: [{name}.emptied, {name}.trimmed]}}"})
    assert found == {
        f"{name}.trimmed-reader": ["KTA309"],
        f"{name}.emptied-reader": ["KTA309"],
        # Kafka removes a group's offsets with the topic, unless its coordinator missed that.
        f"{name}.again-reader": found[f"{name}.again-reader"],
        f"{name}.nobody": ["KTA301"],
    }
    committed(kafka, f"{name}.again-reader", f"{name}.again", 5)
    found, _ = audited(topics, readers)
    assert found[f"{name}.again-reader"] == ["KTA310"]


def test_a_member_without_a_partition_is_idle_although_there_are_enough(kafka, admin, audited, name):
    topics = {f"{name}.one": 1, f"{name}.many": 4}
    for topic, count in topics.items():
        create(admin, topic, count)
    client = {"bootstrap.servers": kafka.bootstrap_servers, "group.id": f"{name}.crowd"}
    with closing(Consumer(client)) as first, closing(Consumer(client)) as second:
        for consumer in (first, second):
            consumer.subscribe([f"{name}.one"])
        deadline = time.monotonic() + 60
        while True:
            for consumer in (first, second):
                consumer.poll(0.1)
            described = admin.describe_consumer_groups([f"{name}.crowd"])[f"{name}.crowd"].result(30)
            if described.state is ConsumerGroupState.STABLE and len(described.members) == 2:
                break
            assert time.monotonic() < deadline, described.state
        found, _ = audited(topics, {f"{name}.crowd": f"{{topics: [{name}.one, {name}.many]}}"})
    assert found == {f"{name}.crowd": ["KTA306"]}


def test_offsets_that_kafkas_tool_committed_do_not_stand_for_members(kafka, admin, audited, name):
    """Kafka's tool commits like a consumer that assigns its partitions itself."""
    create(admin, topic := f"{name}.orders", 2)
    create(admin, other := f"{name}.other")
    producer = SureProducer({"bootstrap.servers": kafka.bootstrap_servers})
    for _ in range(10):
        for partition in (0, 1):
            producer.produce(topic, b"x", partition=partition)
    producer.flush(30)
    groups = {
        "expected": f"{{topics: [{topic}], members: 3, start: earliest}}",
        "limited": f"{{topics: [{topic}], members: 3, start: earliest, maxLag: 19}}",
        "alone": f"{{topics: [{topic}], start: earliest}}",
        "assigned": f"{{assign: {{{topic}: [0, 1]}}, start: earliest}}",
        # These have offsets on another topic only, or nowhere.
        "elsewhere": f"{{topics: [{topic}], start: earliest, maxLag: 0}}",
        "nowhere": f"{{topics: [{topic}], start: earliest, maxLag: 0}}",
        "later": f"{{topics: [{topic}], start: latest, maxLag: 0}}",
    }
    for group in groups:
        if group != "nowhere":
            read = other if group in ("elsewhere", "later") else topic
            reset = ("--reset-offsets", "--to-earliest", "--execute", "--topic", read)
            run(kafka, "kafka-consumer-groups", "--group", f"{name}.{group}", *reset)
    found, lags = audited({topic: 2, other: 1}, {f"{name}.{group}": declared for group, declared in groups.items()})
    assert found == {
        f"{name}.expected": ["KTA302"],
        f"{name}.limited": ["KTA302", "KTA304"],
        f"{name}.alone": [],
        f"{name}.assigned": [],
        f"{name}.elsewhere": ["KTA302", "KTA303", "KTA304"],
        f"{name}.nowhere": ["KTA301", "KTA304"],
        f"{name}.later": ["KTA302", "KTA303"],
    }
    assert lags == {f"{name}.{group}": None if group == "later" else 20 for group in groups}


def test_lag_is_one_number_whatever_limits_it(kafka, admin, audited, name):
    """One record waits behind a hundred that were aborted, and three of ten are left of another topic."""
    create(admin, topic := f"{name}.orders")
    create(admin, cut := f"{name}.cut")
    producer = SureProducer({"bootstrap.servers": kafka.bootstrap_servers})
    for _ in range(10):
        producer.produce(cut, b"x", partition=0)
    producer.flush(30)
    for _ in range(2):
        written(kafka, topic, commit=False, records=50)
    written(kafka, topic, records=1)
    groups = {}
    for kind, read, config in (("mixed", topic, ", config: {isolation.level: read_committed}"), ("cut", cut, "")):
        for limit in ("", ", maxLag: 1ms", ", maxLag: 0", ", maxLag: 1000"):
            group = f"{name}.{kind}{len(groups)}"
            groups[group] = f"{{topics: [{read}]{limit}{config}}}"
            committed(kafka, group, read, 0)
    for future in admin.delete_records([TopicPartition(cut, 0, 7)]).values():
        future.result(30)
    _, lags = audited({topic: 1, cut: 1}, groups)
    assert lags == {group: 1 if ".mixed" in group else 3 for group in groups}
