"""The clients: their versions, how they are had, and how each writes the keys."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import confluent_kafka
from kafka import KafkaProducer
from kafka.partitioner import StickyPartitioner

from . import builds
from .builds import SOURCES, Unavailable, built, run

Write = Callable[[str, str, str, Path], None]  # bootstrap, topic, partitioner, keys
_LONGEST_WRITE = 300


@dataclass(frozen=True, slots=True)
class Client:
    """`prepare` builds what is missing and returns what writes."""

    name: str
    package: str
    version: str
    prepare: Callable[[], Write]


def clients() -> Mapping[str, Client]:
    go = _go_versions()
    return {
        each.name: each
        for each in (
            Client("Java", "org.apache.kafka:kafka-clients", _maven_version("kafka-clients"), _java),
            Client("librdkafka", "confluent-kafka", confluent_kafka.libversion()[0], lambda: _librdkafka),
            Client("kafka-python", "kafka-python", version("kafka-python"), lambda: _kafka_python),
            Client("aiokafka", "aiokafka", _pip_version("aiokafka"), _aiokafka),
            Client("kafkajs", "kafkajs", _npm_version("kafkajs"), _kafkajs),
            *(
                Client(name, package, go[package], _go(name))
                for name, package in (
                    ("franz-go", "github.com/twmb/franz-go"),
                    ("sarama", "github.com/IBM/sarama"),
                    ("kafka-go", "github.com/segmentio/kafka-go"),
                )
            ),
        )
    }


def _librdkafka(bootstrap: str, topic: str, partitioner: str, keys: Path) -> None:
    chosen = {} if partitioner == "default" else {"partitioner": partitioner}
    producer = confluent_kafka.Producer({"bootstrap.servers": bootstrap, "linger.ms": 20, **chosen})
    for number, line in enumerate(keys.read_text().splitlines()):
        producer.produce(topic, str(number), None if line == "-" else bytes.fromhex(line))
        producer.poll(0)
    if left := producer.flush(_LONGEST_WRITE):
        raise Unavailable(f"{left} records were not delivered within {_LONGEST_WRITE} s")


def _kafka_python(bootstrap: str, topic: str, partitioner: str, keys: Path) -> None:
    chosen = {"default": {}, "StickyPartitioner": {"partitioner": StickyPartitioner()}}[partitioner]
    producer = KafkaProducer(bootstrap_servers=bootstrap, acks="all", linger_ms=20, **chosen)
    lines = keys.read_text().splitlines()
    sent = [
        producer.send(topic, str(number).encode(), None if line == "-" else bytes.fromhex(line))
        for number, line in enumerate(lines)
    ]
    for each in sent:
        each.get(_LONGEST_WRITE)
    producer.close()


def _java() -> Write:
    folder = built("java", "java", builds.with_maven)
    return _started("java", "-cp", f"{folder}/*", folder / "Writer.java")


def _kafkajs() -> Write:
    return _started("node", built("kafkajs", "node", builds.with_npm) / "writer.js")


def _go(name: str) -> Callable[[], Write]:
    return lambda: _started(built(name, "go", builds.with_go(name)) / "writer")


def _aiokafka() -> Write:
    folder = built("aiokafka", "python", builds.with_pip("aiokafka.txt"))
    program = SOURCES / "python" / "aiokafka_writer.py"
    return _started(sys.executable, program, environment={"PYTHONPATH": str(folder)})


def _started(*command: str | Path, environment: Mapping[str, str] | None = None) -> Write:
    def write(bootstrap: str, topic: str, partitioner: str, keys: Path) -> None:
        run(*command, bootstrap, topic, partitioner, keys, timeout=_LONGEST_WRITE, environment=environment)

    return write


def _maven_version(artifact: str) -> str:
    pom = (SOURCES / "java" / "pom.xml").read_text()
    (found,) = re.findall(rf"<artifactId>{artifact}</artifactId>\s*<version>([^<]+)</version>", pom)
    return str(found)


def _npm_version(name: str) -> str:
    return str(json.loads((SOURCES / "node" / "package.json").read_text())["dependencies"][name])


def _pip_version(name: str) -> str:
    (found,) = re.findall(rf"^{name}==([^ ]+)", (SOURCES / "python" / f"{name}.txt").read_text(), re.MULTILINE)
    return str(found)


def _go_versions() -> dict[str, str]:
    return dict(re.findall(r"^\t(\S+) v(\S+)$", (SOURCES / "go" / "go.mod").read_text(), re.MULTILINE))
