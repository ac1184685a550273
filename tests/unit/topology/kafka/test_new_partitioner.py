"""A partitioner is one entry of one table: the language, the docs, the client settings and the rules follow.

That Spark places keys by it is in `tests/integration/spark/test_new_partitioner.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
TOPOLOGY = """\
version: 1
topics:
  shop.orders: {partitions: 6, replication: 3, key: {type: string, partitioner: acme}}
  shop.carts: {partitions: 6, replication: 3, key: {type: string, partitioner: murmur2}}
producers:
  web: {principal: User:web, topics: [shop.orders, shop.carts], config: {partitioner.class: com.acme.AcmePartitioner}}
  app: {principal: User:app, topics: [shop.orders]}
"""
PROGRAM = """
import new_partitioner
import json, runpy, sys
from kafka_topology.topology import load
from kafka_topology.topology.kafka.clients.formats import as_librdkafka, as_properties
from kafka_topology.topology.kafka.clients.settings import client_settings
from kafka_topology.topology.language.schema import schema_text
from kafka_topology.validators import run

loaded = load(sys.argv[1])
assert loaded.topology is not None, loaded.findings
app = next(client for client in client_settings(loaded.topology) if client.name == "app")
print(json.dumps({
    "schema": [schema_text().count(f'"{name}"') for name in ("acme", "sarama-reference-hash")],
    "reference": [runpy.run_path(sys.argv[2])["reference"]().count(name) for name in ("acme", "sarama-reference-hash")],
    "java": as_properties(app),
    "librdkafka": as_librdkafka(app),
    "findings": [(each.id, each.resource, each.message) for each in run(loaded.topology).findings],
}))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict:
    file = tmp_path_factory.mktemp("partitioner") / "topology.yaml"
    file.write_text(TOPOLOGY)
    command = [sys.executable, "-c", PROGRAM, str(file), str(ROOT / "tools" / "docs.py")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests" / "support")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_language_and_its_docs_take_it(answers: dict) -> None:
    for document in ("schema", "reference"):
        new, old = answers[document]
        assert new == old > 0


def test_client_settings_name_it(answers: dict) -> None:
    assert "# partitioner: acme\npartitioner.class=com.acme.AcmePartitioner\n" in answers["java"]
    assert "partitioner" not in answers["librdkafka"]["config"]
    assert any("librdkafka has none for acme" in note for note in answers["librdkafka"]["notes"])


def test_rules_judge_it(answers: dict) -> None:
    (mixed,) = [message for rule, _, message in answers["findings"] if rule == "KT206"]
    assert all(name in mixed for name in ("acme", "murmur2", "shop.carts")), mixed
