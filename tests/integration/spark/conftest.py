"""One Spark for all tests, topics of their own on the shared cluster."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
import pytest
from confluent_kafka import Message
from confluent_kafka.admin import AdminClient, NewTopic
from delivering import SureProducer
from planted import Record
from spark_places import ConnectServer, connect_server

from kafka_topology.spark_checks import Options, check
from kafka_topology.spark_checks.engines.columns.hashes import best_hashes
from kafka_topology.spark_checks.engines.pure import PureEngine
from kafka_topology.spark_checks.reading.session import start
from kafka_topology.spark_checks.results.report import TopicReport
from kafka_topology.toolchain import ensure_spark
from kafka_topology.topology.model.declared import Cluster, Key, Ownership, Topic, Topology
from kafka_topology.topology.model.places import Layer, Location, Place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CreateTopic = Callable[..., str]

_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    session = start(
        jars=ensure_spark(pyspark.__version__),
        master="local[2]",
        log_file=tmp_path_factory.mktemp("spark") / "spark.log",
    )
    yield session
    session.stop()


@pytest.fixture(scope="session")
def connect(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectServer]:
    """For all tests. Its sessions come and go; it has no Kafka connector."""
    with connect_server(tmp_path_factory.mktemp("connect")) as server:
        yield server


@pytest.fixture(scope="session")
def bootstrap(kafka: Any) -> str:
    return str(kafka.bootstrap_servers)


@pytest.fixture(scope="session")
def declare() -> Callable[..., Topology]:
    """A topology of one topic, without files."""

    def make(
        name: str,
        partitions: int = 6,
        key: Key | None = None,
        *,
        root: Path = Path(),
        schemas: Mapping[str, str] | None = None,
        **declared: Any,
    ) -> Topology:
        where = Place(Layer.RESOURCE, Location("topology.yaml", 1, 1, 1, 1))

        def place(*_: object) -> Place:
            return where

        topic = Topic(place=place, name=name, partitions=partitions, replication=1, key=key, **declared)
        return Topology(
            place=place,
            root=root,
            cluster=Cluster(place=place),
            ownership=Ownership(place=place),
            topics={name: topic},
            schemas=schemas or {},
        )

    return make


@pytest.fixture(scope="session")
def create_topic(bootstrap: str) -> Callable[..., str]:
    """Creates a topic with a name nobody else has, ready to be written."""

    def create(partitions: int = 6, config: Mapping[str, str] | None = None) -> str:
        name = f"spark.{os.getpid()}.{next(_NUMBERS)}"
        admin = AdminClient({"bootstrap.servers": bootstrap})
        # Tests write records of long ago: with Kafka's default they would be deleted at any moment.
        topic = NewTopic(name, partitions, 1, config={"retention.ms": "-1", **(config or {})})
        admin.create_topics([topic])[name].result(30)
        return name

    return create


Inspect = Callable[..., tuple[TopicReport, set[tuple[str, str, int, int]]]]


@pytest.fixture
def inspect(
    spark: SparkSession, bootstrap: str, declare: Callable[..., Topology], create_topic: CreateTopic
) -> Inspect:
    """Writes records to a topic of its own and checks them: the report, and the faults that must be in it."""

    def write_and_check(
        records: Sequence[Record], partitions: int = 3, *, both_engines: bool = False, **declared: Any
    ) -> tuple[TopicReport, set[tuple[str, str, int, int]]]:
        name = create_topic(partitions)
        placed = _write(bootstrap, name, records)
        topology = declare(name, partitions, **declared)
        options = Options(examples=1000, show_keys=True)
        (report,) = check(spark, topology, bootstrap_servers=bootstrap, options=options).topics
        assert report.records == len(records)
        if both_engines:
            pure = PureEngine(best_hashes(spark))
            (other,) = check(spark, topology, bootstrap_servers=bootstrap, options=options, engine=pure).topics
            assert other == report
        return report, placed

    return write_and_check


def _write(bootstrap: str, topic: str, records: Sequence[Record]) -> set[tuple[str, str, int, int]]:
    """(check, fault, partition, offset) of every fault."""
    producer = SureProducer({"bootstrap.servers": bootstrap, "linger.ms": 20, "message.max.bytes": 20_000_000})
    placed: set[tuple[str, str, int, int]] = set()

    def remember(record: Record) -> Callable[[object, Message], None]:
        def delivered(error: object, message: Message) -> None:
            assert error is None
            place = (message.partition(), message.offset())
            placed.update((check, fault, *place) for check, fault in record.faults)

        return delivered

    for record in records:
        told = remember(record)
        headers = list(record.headers)
        producer.produce(topic, record.value, record.key, record.partition, headers=headers, on_delivery=told)
    producer.flush(60)
    return placed
