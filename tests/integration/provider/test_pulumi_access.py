"""Access, users and quotas under the real engine; Kafka's own tools say what came of it."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from confluent_kafka.admin import AdminClient
from kafka_tools import acls_seen, quotas_seen, run, users_seen
from pulumi_project import PulumiProject

ACCESS = "kafka-topology:index:Access"
USER = "kafka-topology:index:User"
QUOTA = "kafka-topology:index:Quota"
PROGRAM = """\
import json
import os

import pulumi
from kafka_topology import sdk

config = pulumi.Config()
for kind, declared in json.loads(os.environ["RESOURCES"]).items():
    for name, inputs in declared.items():
        if kind == "User":
            inputs["password"] = config.require_secret(inputs["password"])
        getattr(sdk, kind)(name, **inputs)
"""
NO_CHANGES = ("--yes", "--skip-preview", "--expect-no-changes")


class Project(PulumiProject):
    """`resources` is what its program registers: kind, name, inputs. A password names a secret of the stack."""

    def __init__(self, root, bootstrap_servers):
        self.resources = {}
        super().__init__(root, bootstrap_servers, PROGRAM)

    def program_environment(self):
        return {**self.environment, "RESOURCES": json.dumps(self.resources)}

    def secret(self, name, value):
        self.run("config", "set", "--secret", name, value)

    def settled(self):
        """A second run and a refresh change nothing."""
        self.up("--expect-no-changes")
        self.run("refresh", *NO_CHANGES)


@pytest.fixture
def project(kafka, tmp_path):
    return Project(tmp_path / "project", kafka.bootstrap_servers)


@pytest.fixture
def name():
    return f"access-{uuid4().hex[:8]}"


def rule(resource, of, *operations, **others):
    return {"resource": resource, "name": of, "operations": list(operations), **others}


def test_access_from_first_up_to_destroy(project, kafka, name):
    principal = f"User:{name}"
    project.resources = {
        "Access": {
            principal: {
                "rules": [
                    rule("topic", f"{name}.orders", "Write", "Describe"),
                    rule("topic", f"{name}.", "Read", pattern="prefixed", host="10.0.0.1"),
                    rule("group", name, "Read", permission="deny"),
                    {"resource": "cluster", "operations": ["IdempotentWrite"]},
                    rule("transactional-id", f"{name}-", "Write", pattern="prefixed"),
                    rule("user", name, "DescribeTokens"),
                ]
            }
        }
    }
    project.up()
    first = {
        f"ALLOW WRITE TOPIC LITERAL {name}.orders *",
        f"ALLOW DESCRIBE TOPIC LITERAL {name}.orders *",
        f"ALLOW READ TOPIC PREFIXED {name}. 10.0.0.1",
        f"DENY READ GROUP LITERAL {name} *",
        "ALLOW IDEMPOTENT_WRITE CLUSTER LITERAL kafka-cluster *",
        f"ALLOW WRITE TRANSACTIONAL_ID PREFIXED {name}- *",
        f"ALLOW DESCRIBE_TOKENS USER LITERAL {name} *",
    }
    assert acls_seen(kafka, principal) == first
    project.settled()

    declared = project.resources["Access"][principal]
    declared["rules"] = [rule("topic", f"{name}.orders", "Describe", "Read"), rule("group", name, "Read", "Describe")]
    shown = project.preview()
    assert f"{principal} loses: allow IdempotentWrite on cluster 'kafka-cluster'; " in shown
    assert f"; allow Write on topic '{name}.orders'; " in shown
    assert f"{principal} is not denied any more: deny Read on group '{name}'" in shown
    assert "replace" not in shown
    assert acls_seen(kafka, principal) == first
    project.up()
    second = {
        f"ALLOW DESCRIBE TOPIC LITERAL {name}.orders *",
        f"ALLOW READ TOPIC LITERAL {name}.orders *",
        f"ALLOW READ GROUP LITERAL {name} *",
        f"ALLOW DESCRIBE GROUP LITERAL {name} *",
    }
    assert acls_seen(kafka, principal) == second
    project.settled()

    declared["principal"] = "User:somebody"
    assert "cannot become that of 'User:somebody'" in project.preview(fails=True)
    project.destroy()
    assert acls_seen(kafka, principal) == set()


def test_access_that_others_added_is_reported_and_left_alone_and_removed_access_comes_back(project, kafka, name):
    principal = f"User:{name}"
    hand = ("--force", "--allow-principal", principal, "--topic", f"{name}.orders", "--operation")
    run(kafka, "kafka-acls", "--add", *hand, "Delete")
    run(kafka, "kafka-acls", "--add", *hand, "Read")
    project.resources = {
        "Access": {"mine": {"principal": principal, "rules": [rule("topic", f"{name}.orders", "Read")]}}
    }
    left, ours = (f"ALLOW {operation} TOPIC LITERAL {name}.orders *" for operation in ("DELETE", "READ"))

    shown = project.preview()
    assert f"left alone: allow Delete on topic '{name}.orders'" in shown
    assert f"it is adopted: allow Read on topic '{name}.orders'" in shown
    assert "left alone" in project.up()
    assert acls_seen(kafka, principal) == {left, ours}
    project.settled()

    run(kafka, "kafka-acls", "--add", *hand, "Write")
    shown = project.run("refresh", "--yes", "--skip-preview", "--diff")
    assert f"left alone: allow Delete on topic '{name}.orders'; allow Write on topic '{name}.orders'" in shown
    run(kafka, "kafka-acls", "--remove", *hand, "Read")
    assert "1 deleted" in project.run("refresh", "--yes", "--skip-preview")
    project.up()
    assert acls_seen(kafka, principal) == {left, ours, f"ALLOW WRITE TOPIC LITERAL {name}.orders *"}

    project.run("state", "delete", "--yes", f"urn:pulumi:dev::tried::{ACCESS}::mine")
    project.run("import", ACCESS, "mine", principal, "--yes", "--generate-code=false", "--protect=false")
    every = project.resources["Access"]["mine"]["rules"] = [rule("topic", f"{name}.orders", "Read", "Write", "Delete")]
    project.preview("--expect-no-changes")
    every[0]["operations"] = ["Read"]
    project.up()
    assert acls_seen(kafka, principal) == {ours}
    project.destroy()
    assert acls_seen(kafka, principal) == set()


def test_a_user_from_first_up_to_destroy_with_the_password_nowhere_in_clear(project, kafka, secure_kafka, name):
    project.configure("bootstrapServers", secure_kafka.bootstrap_servers)
    project.secret("first", "hunter2-first")
    project.secret("second", "hunter2-second")
    user = {"mechanism": "SCRAM-SHA-512", "password": "first"}
    project.resources = {"User": {name: user}}
    shown = project.up()
    assert users_seen(secure_kafka, name) == {name: "SCRAM-SHA-512=iterations=8192"}
    assert logs_in(secure_kafka, name, "hunter2-first", "SCRAM-SHA-512")
    project.settled()

    user["password"] = "second"
    preview = project.preview()
    assert "password" in preview
    shown += preview + project.up()
    assert logs_in(secure_kafka, name, "hunter2-second", "SCRAM-SHA-512")
    assert not logs_in(secure_kafka, name, "hunter2-first", "SCRAM-SHA-512")

    user.update(mechanism="SCRAM-SHA-256", iterations=4096)
    shown += project.preview() + project.up()
    assert users_seen(secure_kafka, name) == {name: "SCRAM-SHA-256=iterations=4096"}
    assert logs_in(secure_kafka, name, "hunter2-second", "SCRAM-SHA-256")
    project.settled()

    project.forget(name, kind=USER)
    project.bring_in(name, kind=USER)
    project.preview("--expect-no-changes")
    project.up()  # the password is in the state again, though nothing was sent

    user["iterations"] = 5000
    shown += project.up()
    assert users_seen(secure_kafka, name) == {name: "SCRAM-SHA-256=iterations=5000"}
    assert logs_in(secure_kafka, name, "hunter2-second", "SCRAM-SHA-256")

    shown += project.run("stack", "export") + project.destroy()
    assert users_seen(secure_kafka, name) == {}
    assert "hunter2" not in shown
    files = [path for path in project.root.rglob("*") if path.is_file()]
    assert not [path for path in files if b"hunter2" in path.read_bytes()]


def logs_in(kafka, user, password, mechanism):
    settings = kafka.client_settings("SASL_SSL", user="app", mechanism=mechanism)
    admin = AdminClient({**settings, "sasl.username": user, "sasl.password": password, "log_level": 0})
    try:
        return len(admin.list_topics(timeout=5).brokers) == 1
    except Exception:  # noqa: BLE001 - librdkafka reports a refused login in several ways
        return False


def test_a_user_that_somebody_else_made_is_not_overwritten(project, kafka, name):
    run(
        kafka, "kafka-configs", "--alter", "--entity-type", "users", "--entity-name", name,
        "--add-config", "SCRAM-SHA-512=[iterations=4096,password=theirs]",
    )  # fmt: skip
    project.secret("mine", "hunter2")
    project.resources = {"User": {name: {"mechanism": "SCRAM-SHA-512", "password": "mine"}}}
    for shown in (project.preview(fails=True), project.up(fails=True)):
        assert "iterations of SCRAM-SHA-512: declared 8192, live 4096" in " ".join(shown.split())
    project.resources = {}
    project.up()
    assert users_seen(kafka, name) == {name: "SCRAM-SHA-512=iterations=4096"}


def test_a_user_whose_creation_was_interrupted_is_completed(project, kafka, name):
    project.secret("mine", "hunter2")
    project.resources = {"User": {name: {"mechanism": "SCRAM-SHA-512", "password": "mine"}}}
    project.up()
    project.forget(name, kind=USER)  # as if the engine had died before it wrote the state
    assert "its password is set to the declared one" in project.preview()
    project.up()
    project.settled()


def test_quotas_from_first_up_to_destroy(project, kafka, name):
    entity, client = f"user-principal '{name}'", f"client-id '{name}'"
    both = f"{entity}, {client}"
    project.resources = {
        "Quota": {
            "user": {"user": name, "producer_byte_rate": 1000000, "request_percentage": 12.5},
            "client": {"client_id": name, "consumer_byte_rate": 2000},
            "both": {"user": name, "client_id": name, "controller_mutation_rate": 3},
        }
    }
    project.up()
    assert quotas_seen(kafka, name) == {
        entity: {"producer_byte_rate": 1000000, "request_percentage": 12.5},
        client: {"consumer_byte_rate": 2000},
        both: {"controller_mutation_rate": 3},
    }
    project.settled()

    declared = project.resources["Quota"]
    declared["user"] = {"user": name, "producer_byte_rate": 5000, "consumer_byte_rate": 6000}
    shown = project.preview()
    assert "producerByteRate : 1000000 => 5000" in shown
    assert "+ consumerByteRate" in shown
    assert "- requestPercentage" in shown
    project.up()
    assert quotas_seen(kafka, name)[entity] == {"producer_byte_rate": 5000, "consumer_byte_rate": 6000}
    project.settled()

    by_hand = ("--alter", "--entity-type", "users", "--entity-name", name, "--add-config")
    run(kafka, "kafka-configs", *by_hand, "producer_byte_rate=7000,request_percentage=50")
    shown = project.run("refresh", "--yes", "--skip-preview", "--diff")
    assert "producerByteRate: 5000 => 7000" in shown
    assert "left alone: requestPercentage=50" in " ".join(shown.split())
    project.up()
    assert quotas_seen(kafka, name)[entity]["producer_byte_rate"] == 5000

    project.run("state", "delete", "--yes", f"urn:pulumi:dev::tried::{QUOTA}::both")
    both_id = f"user={name},client-id={name}"
    project.run("import", QUOTA, "both", both_id, "--yes", "--generate-code=false", "--protect=false")
    project.settled()

    project.destroy()
    assert quotas_seen(kafka, name) == {entity: {"request_percentage": 50}}


def test_a_different_quota_is_not_overwritten(project, kafka, name):
    by_hand = ("--alter", "--entity-type", "users", "--entity-name", name, "--add-config")
    run(kafka, "kafka-configs", *by_hand, "producer_byte_rate=7000")
    project.resources = {"Quota": {"q": {"user": name, "producer_byte_rate": 8000}}}
    for shown in (project.preview(fails=True), project.up(fails=True)):
        assert "producerByteRate: declared 8000, live 7000" in " ".join(shown.split())
    project.resources["Quota"]["q"]["producer_byte_rate"] = 7000
    project.up()
    project.settled()


def test_nothing_outside_the_ownership(project, kafka, name):
    project.configure("ownership", json.dumps({"principals": [f"User:{name}"]}))
    project.resources = {"Access": {"User:other": {"rules": [rule("topic", name, "Read")]}}}
    assert "'User:other' is outside the ownership" in project.preview(fails=True)
