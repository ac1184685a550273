"""One Spark for all tests, topics of their own on the shared cluster."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from kafka_topology.spark_checks.session import start
from kafka_topology.toolchain import ensure_spark
from kafka_topology.topology.model import Cluster, Key, Ownership, Topic, Topology
from kafka_topology.topology.places import Layer, Location, Place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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
def bootstrap(kafka: Any) -> str:
    return str(kafka.bootstrap_servers)


@pytest.fixture(scope="session")
def declare() -> Callable[..., Topology]:
    """A topology of one topic, without files."""

    def make(name: str, partitions: int = 6, key: Key | None = None, **declared: Any) -> Topology:
        where = Place(Layer.RESOURCE, Location("topology.yaml", 1, 1, 1, 1))

        def place(*_: object) -> Place:
            return where

        topic = Topic(place=place, name=name, partitions=partitions, replication=1, key=key, **declared)
        return Topology(
            place=place,
            root=Path(),
            cluster=Cluster(place=place),
            ownership=Ownership(place=place),
            topics={name: topic},
        )

    return make


@pytest.fixture
def create_topic(bootstrap: str) -> Callable[..., str]:
    """Creates a topic with a name nobody else has, ready to be written."""

    def create(partitions: int = 6, config: Mapping[str, str] | None = None) -> str:
        name = f"spark.{os.getpid()}.{next(_NUMBERS)}"
        admin = AdminClient({"bootstrap.servers": bootstrap})
        topic = NewTopic(name, partitions, 1, config=dict(config or {}))
        admin.create_topics([topic])[name].result(30)
        return name

    return create
