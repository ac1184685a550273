"""Credentials of a client that rotate: both principals have access for a while, then only the new one."""

from __future__ import annotations

import threading
from pathlib import Path
from uuid import uuid4

import pytest
from confluent_kafka import KafkaError, Producer
from confluent_kafka.admin import (
    AdminClient,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from kafka_tools import acls_seen
from pulumi_project import PulumiProject

PROGRAM = (Path(__file__).parents[3] / "program" / "__main__.py").read_text()
PASSWORD = "only-for-this-test"
TOPOLOGY = """\
version: 1
cluster: {{brokers: 1, defaults: {{default.replication.factor: 1, min.insync.replicas: 1}}}}
ownership: {{topics: [{name}.], groups: [{name}.], principals: ["User:{name}-"]}}
topics:
  {name}.orders: {{partitions: 1, replication: 1, deletion: force}}
producers:
  {name}-checkout: {{topics: [{name}.orders], principal: [{principals}]}}
rules: {{KT103: {{severity: off}}}}
"""


@pytest.fixture
def name(secure_kafka):
    """Two logins exist: those of the old and of the new principal."""
    found = f"turn{uuid4().hex[:8]}"
    admin = AdminClient({"bootstrap.servers": secure_kafka.bootstrap_servers})
    for user in (f"{found}-old", f"{found}-new"):
        info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
        changed = admin.alter_user_scram_credentials([UserScramCredentialUpsertion(user, info, PASSWORD.encode())])
        changed[user].result(30)
    return found


class Writer:
    """Writes all the time, and keeps the errors. librdkafka repeats what may still succeed."""

    def __init__(self, kafka, user, topic):
        settings = kafka.client_settings("SASL_SSL", user="app", mechanism="SCRAM-SHA-512")
        self._producer = Producer({**settings, "sasl.username": user, "sasl.password": PASSWORD, "log_level": 0})
        self._topic = topic
        self._stopped = threading.Event()
        self._first = threading.Event()
        self.written = 0
        self.errors = set()
        self._thread = threading.Thread(target=self._write, daemon=True)

    def __enter__(self):
        self._thread.start()
        assert self._first.wait(60), "no answer to the first record"
        return self

    def __exit__(self, *_):
        self._stopped.set()
        self._thread.join(60)
        assert not self._thread.is_alive()

    def _write(self):
        while not self._stopped.wait(0.05):
            self._producer.produce(self._topic, b"x", on_delivery=self._answered)
            self._producer.flush(30)

    def _answered(self, error, _):
        self._first.set()
        if error is None:
            self.written += 1
        else:
            self.errors.add(error.code())


def refused(kafka, user, topic):
    with Writer(kafka, user, topic) as writer:
        pass
    return writer.errors == {KafkaError.TOPIC_AUTHORIZATION_FAILED}


def test_no_writer_is_refused_while_its_principal_rotates(secure_kafka, name, tmp_path):
    topic, old, new = f"{name}.orders", f"{name}-old", f"{name}-new"
    project = PulumiProject(tmp_path / "project", secure_kafka.bootstrap_servers, PROGRAM)
    (project.root / "topology").mkdir()

    def apply(*users):
        principals = ", ".join(f"'User:{user}'" for user in users)
        text = TOPOLOGY.format(name=name, principals=principals)
        (project.root / "topology" / "topology.yaml").write_text(text)
        project.up()
        project.up("--expect-no-changes")

    apply(old)
    granted = acls_seen(secure_kafka, f"User:{old}")
    assert granted
    assert refused(secure_kafka, new, topic)
    with Writer(secure_kafka, old, topic) as before:
        apply(old, new)
        assert acls_seen(secure_kafka, f"User:{old}") == acls_seen(secure_kafka, f"User:{new}") == granted
        with Writer(secure_kafka, new, topic):  # the client logs in with its new credentials
            pass
    assert (before.errors, before.written > 0) == (set(), True)
    with Writer(secure_kafka, new, topic) as after:
        apply(new)
        assert acls_seen(secure_kafka, f"User:{old}") == set()
        assert acls_seen(secure_kafka, f"User:{new}") == granted
    assert (after.errors, after.written > 0) == (set(), True)
    assert refused(secure_kafka, old, topic)
