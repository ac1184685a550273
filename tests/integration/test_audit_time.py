"""How old unread records are, by real brokers: compressed, aborted, in a transaction. And a watch that Ctrl-C ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest
from auditing import audit, found
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import NewTopic
from delivering import SureProducer
from prometheus_text import parsed

HOUR = 3_600


@pytest.fixture
def name():
    return f"time{uuid4().hex[:8]}"


@pytest.fixture
def topic(admin, name):
    admin.create_topics([NewTopic(name, 1, 1)])[name].result(30)
    return name


def ago(seconds):
    return round((time.time() - seconds) * 1000)


def commit(kafka, group, topic, offset):
    client = {"bootstrap.servers": kafka.bootstrap_servers, "group.id": group, "enable.auto.commit": False}
    with closing(Consumer(client)) as consumer:
        consumer.commit(offsets=[TopicPartition(topic, 0, offset)], asynchronous=False)


def write(kafka, topic, ages, **settings):
    """One batch, whose records are this old."""
    client = {"bootstrap.servers": kafka.bootstrap_servers, "linger.ms": 500}
    producer = SureProducer({**client, **{key.replace("_", "."): value for key, value in settings.items()}})
    for age in ages:
        producer.produce(topic, b"x" * 200, partition=0, timestamp=ago(age))
    producer.flush(30)


def abort(kafka, topic, age):
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, "transactional.id": uuid4().hex})
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce(topic, b"x", partition=0, timestamp=ago(age))
    producer.flush(30)
    producer.abort_transaction(30)


def declare(file, topic, **groups):
    """Groups by name, with the rest of their declaration."""
    lines = "".join(f"  {name}: {{topics: [{topic}], {more}}}\n" for name, more in groups.items())
    file.write_text(f"version: 1\ntopics:\n  {topic}: {{partitions: 1, replication: 1}}\nconsumerGroups:\n{lines}")
    return file


def seconds(document):
    return {each["group"]: each["lagSeconds"] for each in document["live"]["groups"]}


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_the_age_of_a_record_in_the_middle_of_a_batch(kafka, topic, tmp_path, codec):
    """Of a codec that Python has no decoder for, the last record of the batch is known: never older than it is."""
    write(kafka, topic, [9 * HOUR, 5 * HOUR, 2 * HOUR], compression_type=codec)
    commit(kafka, f"{topic}-a", topic, 1)
    file = declare(tmp_path / "t.yaml", topic, **{f"{topic}-a": "maxLag: 1h"})
    code, document = audit(file, "--bootstrap", kafka.bootstrap_servers)
    assert (code, found(document), document["couldNotCheck"]) == (1, Counter({("KTA304", f"{topic}-a"): 1}), [])
    exact = codec in {"none", "gzip"}
    low, high = (5, 5.5) if exact else (2, 5.5)
    assert low * HOUR <= seconds(document)[f"{topic}-a"] <= high * HOUR


def test_aborted_records_wait_for_nobody_who_reads_committed_ones(kafka, topic, tmp_path):
    abort(kafka, topic, 9 * HOUR)  # offset 0, and a marker
    write(kafka, topic, [2 * HOUR])  # offset 2
    for group in ("careful", "plain"):
        commit(kafka, f"{topic}-{group}", topic, 0)
    careful = "maxLag: 5h, config: {isolation.level: read_committed}"
    file = declare(tmp_path / "t.yaml", topic, **{f"{topic}-careful": careful, f"{topic}-plain": "maxLag: 5h"})
    _, document = audit(file, "--bootstrap", kafka.bootstrap_servers)
    assert found(document) == Counter({("KTA304", f"{topic}-plain"): 1})
    ages = seconds(document)
    assert 2 * HOUR <= ages[f"{topic}-careful"] < 3 * HOUR
    assert 9 * HOUR <= ages[f"{topic}-plain"] < 10 * HOUR


def test_a_watch_ends_with_the_code_of_its_last_look(kafka, topic, tmp_path):
    write(kafka, topic, [2 * HOUR])
    commit(kafka, f"{topic}-a", topic, 0)
    file, metrics = declare(tmp_path / "t.yaml", topic, **{f"{topic}-a": "maxLag: 1h"}), tmp_path / "metrics.prom"
    program = Path(sys.executable).with_name("kafka-topology")
    options = ("--watch", "--every", "1s", "--format", f"prometheus={metrics}")
    command = [str(program), "audit", str(file), "--bootstrap", kafka.bootstrap_servers, *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watching:
        first = watching.stdout.readline()
        assert re.fullmatch(rf"\S+Z new error KTA304: {topic}-a has not read a record .*\n", first)
        commit(kafka, f"{topic}-a", topic, 1)
        assert re.fullmatch(r"\S+Z gone error KTA304: .*\n", watching.stdout.readline())
        os.kill(watching.pid, signal.SIGINT)
        rest, errors = watching.communicate(timeout=60)
    assert (watching.returncode, rest) == (0, ""), errors
    assert "Traceback" not in errors
    assert parsed(metrics.read_text()).of("kafka_topology_findings", severity="error") == [0]
