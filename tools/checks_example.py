"""Makes the records of docs/checks.md on a broker of its own, checks them and prints what the page shows.

python tools/checks_example.py
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from kafka_topology.local import LocalCluster
from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS

PAGE = Path(__file__).parents[1] / "docs" / "checks.md"
TOPIC = "shop.orders"
PARTITIONS = 6
AT = 1_790_000_000_000  # the first record's timestamp; one comes every second


def declaration() -> str:
    """The topology is the first block of the page."""
    return PAGE.read_text().partition("```yaml\n")[2].partition("```")[0]


def produce(servers: str) -> None:
    """Sound records of 3,000 keys, of which one has many; some are placed by another client, some are wrong."""
    admin = AdminClient({"bootstrap.servers": servers})  # kept: without it the answer never comes
    kept = {"retention.ms": "-1"}
    admin.create_topics([NewTopic(TOPIC, PARTITIONS, 1, config=kept)])[TOPIC].result(30)
    right, wrong = (HASH_PARTITIONERS[name].partition for name in ("murmur2", "librdkafka-consistent"))
    producer = Producer({"bootstrap.servers": servers, "linger.ms": 20})
    chance = random.Random(4)  # noqa: S311 - repeatable
    keys = [str(uuid.UUID(int=chance.getrandbits(128), version=4)) for _ in range(3000)]
    versions = dict.fromkeys(keys, 0)
    for number in range(20_000):
        key = keys[0] if number % 20 == 0 else chance.choice(keys)
        versions[key] += 1
        value = {
            "order_id": key if number not in (123, 456) else "other",
            "version": versions[key] - (2 if number in (5000, 9000) else 0),
        }
        place = wrong if number % 400 == 7 else right
        partition = place(key.encode(), PARTITIONS)
        producer.produce(TOPIC, json.dumps(value), key, partition, timestamp=AT + 1000 * number)
        if number % 1000 == 0:
            producer.flush()
    last = AT + 20_000_000
    producer.produce(TOPIC, '{"order_id": "1"}', "order-1", right(b"order-1", PARTITIONS), timestamp=last)
    producer.produce(TOPIC, "{}", None, 2, timestamp=last)
    assert producer.flush(30) == 0


def check(file: Path, servers: str, *options: str) -> None:
    print(f"$ kafka-topology check topology.yaml --bootstrap localhost:9092 {' '.join(options)}".rstrip(), flush=True)
    program = Path(sys.executable).with_name("kafka-topology")
    command = [program, "check", file, "--bootstrap", servers, *options]
    done = subprocess.run(
        command, env={**os.environ, "COLUMNS": "80"}, check=False, cwd=file.parent, text=True, stdout=subprocess.PIPE
    )
    print(done.stdout.replace(str(file.parent), "/home/me"))


def query(folder: Path) -> None:
    """The example that the page has for rows, on those of the check."""
    program = (
        PAGE.read_text().partition("## Violating records as data")[2].partition("```python\n")[2].partition("```")[0]
    )
    subprocess.run([sys.executable, "-c", program], cwd=folder, check=True, stderr=subprocess.DEVNULL)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "topology.yaml"
        file.write_text(declaration())
        with LocalCluster(folder / "kafka", brokers=1, delete_on_exit=True) as kafka:
            produce(kafka.bootstrap_servers)
            check(file, kafka.bootstrap_servers)
            check(file, kafka.bootstrap_servers, "--violations", "violations/")
            query(folder)


if __name__ == "__main__":
    main()
