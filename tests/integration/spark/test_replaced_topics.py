"""Topics that change while they are read: deleted and created again, or with their first records deleted."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from delivering import SureProducer

from kafka_topology.spark_checks import KafkaReader, check
from kafka_topology.spark_checks.reading.offsets import TopicReplaced
from kafka_topology.spark_checks.rows.writing import Destination, write
from kafka_topology.topology.model.declared import Key, Topology

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Declare = Callable[..., Topology]
CreateTopic = Callable[..., str]


@pytest.fixture
def admin(bootstrap: str) -> AdminClient:
    return AdminClient({"bootstrap.servers": bootstrap})


def fill(bootstrap: str, topic: str, count: int) -> None:
    producer = SureProducer({"bootstrap.servers": bootstrap})
    for number in range(count):
        producer.produce(topic, b"{}", b"key-%d" % number, 0)
    producer.flush(60)


def replace(admin: AdminClient, bootstrap: str, topic: str, count: int) -> None:
    """Deleting goes on after it was answered, and the name is free only then."""
    admin.delete_topics([topic])[topic].result(30)
    deadline = time.monotonic() + 60
    while True:
        try:
            admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(30)
        except KafkaException:
            assert time.monotonic() < deadline
        else:
            break
    fill(bootstrap, topic, count)


def test_a_topic_that_was_replaced_is_not_judged(
    spark: SparkSession, admin: AdminClient, bootstrap: str, declare: Declare, create_topic: CreateTopic
) -> None:
    name = create_topic(1)
    fill(bootstrap, name, 20)
    reader = KafkaReader({"bootstrap.servers": bootstrap})
    assert reader.pin([name])
    replace(admin, bootstrap, name, 50)
    (report,) = check(spark, declare(name, 1, key=Key("string")), reader=reader).topics
    assert report.unreadable == (
        f"{name} was deleted and created again while it was read, so records of two topics are mixed; check again"
    )
    assert {each.status for each in report.results} == {"not-checked"}


class Replacing(Destination):
    """Another topic has the name after the rows were written."""

    then: Callable[[], None]

    def append(self, rows: DataFrame) -> None:
        Destination.append(self, rows)
        Replacing.then()


def test_rows_of_another_topic_are_not_called_complete(  # noqa: PLR0917 - fixtures
    spark: SparkSession,
    admin: AdminClient,
    bootstrap: str,
    declare: Declare,
    create_topic: CreateTopic,
    tmp_path: Path,
) -> None:
    name = create_topic(1)
    fill(bootstrap, name, 10)
    report = check(spark, declare(name, 1, key=Key("uuid")), bootstrap_servers=bootstrap)
    assert report.violation_count == 10
    # The same number of violations: their count is no proof.
    Replacing.then = lambda: replace(admin, bootstrap, name, 10)
    meanwhile = write(spark, report, Replacing(str(tmp_path / "meanwhile")))
    assert meanwhile.problem is not None
    assert "was deleted and created again while it was read" in meanwhile.problem
    assert f"do not use rows of run {meanwhile.run_id}" in meanwhile.problem
    before = write(spark, report, Destination(str(tmp_path / "before")))
    assert before.problem is not None
    assert before.problem.endswith("check again, so nothing was written")
    assert not (tmp_path / "before").exists()
    with pytest.raises(TopicReplaced):
        report.violations(spark)


def test_what_was_deleted_before_it_was_read_is_not_exact(
    spark: SparkSession, admin: AdminClient, bootstrap: str, declare: Declare, create_topic: CreateTopic
) -> None:
    name = create_topic(1)
    fill(bootstrap, name, 20)
    reader = KafkaReader({"bootstrap.servers": bootstrap})
    assert reader.pin([name])
    for deleted in admin.delete_records([TopicPartition(name, 0, 5)]).values():
        deleted.result(60)
    report = check(spark, declare(name, 1, key=Key("string")), reader=reader)
    (topic,) = report.topics
    assert (topic.records, topic.ranges[0].deleted_to, topic.missed) == (15, 5, 0)
    judged = [each for each in topic.results if each.violations is not None]
    assert {each.status for each in judged} == {"bounded"}
    assert {each.reason for each in judged if each.check == "key-type"} == {"5 offsets deleted before they were read"}
