"""`what-if --partitions` on live records: exactly the keys that the partitioner would put elsewhere."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from delivering import SureProducer

from kafka_topology.cli.main import main
from kafka_topology.spark_checks.reading.reader import KafkaReader
from kafka_topology.spark_checks.repartition import Moves, NoAnswer, repartition
from kafka_topology.topology import load
from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS
from kafka_topology.topology.model.declared import Key, Partitioner, Topology

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize("partitioner", ["murmur2", "librdkafka-consistent-random"])
def test_keys_and_records_that_would_move(
    spark: SparkSession,
    bootstrap: str,
    declare: Callable[..., Topology],
    create_topic: Callable[..., str],
    partitioner: str,
) -> None:
    name = create_topic(4)
    place = HASH_PARTITIONERS[partitioner].partition
    keys = [f"key-{number}".encode() for number in range(200)]
    written = Counter({key: 1 + index % 5 for index, key in enumerate(keys)})
    producer = SureProducer({"bootstrap.servers": bootstrap})
    for key, count in written.items():
        for _ in range(count):
            producer.produce(name, b"{}", key, place(key, 4))
    for _ in range(3):
        producer.produce(name, b"{}", None, 1)
    producer.flush(30)

    topology = declare(name, 4, key=Key("string", partitioner=Partitioner(partitioner)))
    reader = KafkaReader({"bootstrap.servers": bootstrap})
    (found,) = repartition(spark, topology, 6, reader=reader, topics=[name])
    assert isinstance(found, Moves)
    moved = [key for key in keys if place(key, 4) != place(key, 6)]
    assert (found.keys, found.moved_keys) == (200, len(moved))
    assert (found.records, found.moved_records) == (603, sum(written[key] for key in moved))
    assert found.unplaced == 3
    after: Counter[object] = Counter()
    for key, count in written.items():
        after[place(key, 6)] += count
    assert {part.partition: part.records for part in found.after} == {number: after[number] for number in range(6)}
    assert found.skew_after == round(max(after.values()) * 6 / 600, 3)
    (fewer,) = repartition(spark, topology, 3, reader=reader, topics=[name])
    assert isinstance(fewer, NoAnswer)
    assert fewer.refused


def test_the_command(bootstrap: str, create_topic: Callable[..., str], tmp_path: Path) -> None:
    name, empty = create_topic(4), create_topic(2)
    path = tmp_path / "topology.yaml"
    path.write_text(
        f"version: 1\ntopics:\n  {name}: {{partitions: 4, replication: 1, key: {{type: string}}}}\n"
        f"  {empty}: {{partitions: 2, replication: 1, key: {{type: string}}}}\n"
    )
    assert load(path).topology is not None
    command = ["what-if", str(path), "--bootstrap", bootstrap]
    # Nothing of this needs Spark.
    done = CliRunner().invoke(main, [*command, name, "--partitions", "3"])
    assert done.exit_code == 2
    assert "it has 4 partitions, and Kafka cannot take any away" in done.output
    done = CliRunner().invoke(main, [*command, empty, "--partitions", "8", "--format", "json"])
    assert done.exit_code == 3
    assert json.loads(done.stdout) == {"partitions": 8, "topics": [{"topic": empty, "reason": "it holds no records"}]}
    done = CliRunner().invoke(main, [*command, "--partitions", "8", "--lose-broker", "1"])
    assert done.exit_code == 2
    assert "exactly one of" in done.output
