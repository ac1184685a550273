"""`kafka-topology local start --secure` with a real broker."""

from __future__ import annotations

import json
import ssl
import stat
import subprocess
import time
from pathlib import Path

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ConfigResource,
    NewTopic,
    ResourcePatternType,
    ResourceType,
)

from kafka_topology.local import LocalCluster, kafka_tool
from kafka_topology.local.properties import render
from kafka_topology.local.secured import certificates as certificates_module

SASL = ("SASL_PLAINTEXT", "SASL_SSL")
BY_PASSWORD = ("SCRAM-SHA-256", "SCRAM-SHA-512", "PLAIN")


def secrets_of(cluster: LocalCluster) -> list[str]:
    raw = json.loads((cluster.data / "credentials.json").read_text())
    return [*raw["users"].values(), raw["keystorePassword"]]


def brokers_seen(settings: dict[str, str]) -> int:
    return len(AdminClient(settings).list_topics(timeout=10).brokers)


def is_refused(settings: dict[str, str], reason: str) -> bool:
    """Whether a client is refused with this reason. librdkafka gives one reason under several codes."""
    reasons: list[str] = []
    client = AdminClient({**settings, "error_cb": lambda error: reasons.append(error.str()), "log_level": 0})
    with pytest.raises(KafkaException):
        client.list_topics(timeout=0.3)
    deadline = time.monotonic() + 10
    while not any(reason in told for told in reasons) and time.monotonic() < deadline:
        client.poll(0.05)
    return any(reason in told for told in reasons)


@pytest.mark.parametrize("user", ["admin", "app"])
@pytest.mark.parametrize("mechanism", [*BY_PASSWORD, "OAUTHBEARER"])
@pytest.mark.parametrize("listener", SASL)
def test_users_come_in_by_every_mechanism(secure_kafka, listener, mechanism, user):
    assert brokers_seen(secure_kafka.client_settings(listener, user=user, mechanism=mechanism)) == 1


@pytest.mark.parametrize("mechanism", BY_PASSWORD)
@pytest.mark.parametrize("listener", SASL)
def test_a_wrong_password_stays_out(secure_kafka, listener, mechanism):
    settings = secure_kafka.client_settings(listener, mechanism=mechanism) | {"sasl.password": "wrong"}
    assert is_refused(settings, "SASL authentication error: Authentication failed")


def test_a_client_comes_in_by_its_certificate(secure_kafka):
    settings = secure_kafka.client_settings("SSL", user="app")
    assert brokers_seen(settings) == 1
    for name in ("ssl.certificate.location", "ssl.key.location"):
        del settings[name]
    assert is_refused(settings, "SSL alert number")


@pytest.mark.parametrize("listener", ["SASL_SSL", "SSL"])
def test_brokers_are_who_they_say(secure_kafka, listener):
    settings = secure_kafka.client_settings(listener, user="app")
    address = settings["bootstrap.servers"].replace("127.0.0.1", "localhost")
    assert brokers_seen(settings | {"bootstrap.servers": address}) == 1
    del settings["ssl.ca.location"]  # an authority that nobody else knows
    assert is_refused(settings, "certificate verify failed")


def test_java_clients_come_in_too(secure_kafka, tmp_path):
    for listener in ("SASL_SSL", "SSL"):
        settings = secure_kafka.client_settings(listener, user="app", java=True)
        file = tmp_path / "client.properties"
        file.write_text(render(settings))
        listed = kafka_tool(
            "kafka-topics", "--list", "--command-config", str(file), bootstrap=settings["bootstrap.servers"]
        )
        assert listed.returncode == 0, listed.stdout + listed.stderr


def produce(settings: dict[str, str], topic: str) -> int:
    """0, or the code of the error."""
    codes: list[int] = []
    producer = Producer({**settings, "message.timeout.ms": 5000})
    producer.produce(topic, b"v", on_delivery=lambda error, _: codes.append(error.code() if error else 0))
    producer.flush(10)
    return codes[0]


def test_access_rules_hold_for_app_by_every_listener_and_not_for_admin(secure_kafka):
    topic = "secure.orders"
    admin = AdminClient(secure_kafka.client_settings(user="admin"))
    admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(timeout=30)
    app = [secure_kafka.client_settings(listener, user="app") for listener in (*SASL, "SSL")]
    denied = KafkaError.TOPIC_AUTHORIZATION_FAILED
    assert [produce(settings, topic) for settings in app] == [denied] * 3
    assert produce(secure_kafka.client_settings(user="admin"), topic) == 0

    rule = AclBinding(
        ResourceType.TOPIC,
        topic,
        ResourcePatternType.LITERAL,
        "User:app",
        "*",
        AclOperation.WRITE,
        AclPermissionType.ALLOW,
    )
    admin.create_acls([rule])[rule].result(timeout=30)
    deadline = time.monotonic() + 10
    while produce(app[0], topic) == denied and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [produce(settings, topic) for settings in app] == [0] * 3


def test_secret_files_are_private(secure_kafka):
    data = secure_kafka.data
    files = [data / "credentials.json", data / "node-1" / "server.properties", *(data / "tls").iterdir()]
    assert len(files) == 8
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert {stat.S_IMODE((data / name).stat().st_mode) for name in ("tls", "node-1")} == {0o700}
    assert not [path.name for path in data.iterdir() if path.name.startswith(".tls")]


def test_no_secret_is_in_the_process_list_the_log_or_the_brokers_answers(secure_kafka):
    (broker,) = secure_kafka.status().brokers
    listed = subprocess.run(["ps", "-ewwo", "args="], capture_output=True, text=True, check=True).stdout
    assert str(secure_kafka.data) in listed
    resource = ConfigResource(ConfigResource.Type.BROKER, "1")
    client = AdminClient(secure_kafka.client_settings())
    configs = client.describe_configs([resource])[resource].result(timeout=30)
    assert "listener.name.sasl_ssl.plain.sasl.jaas.config" in configs
    told = " ".join(str(entry.value) for entry in configs.values())
    environment = Path(f"/proc/{broker.pid}/environ")
    seen = {
        "process list": listed,
        "environment": environment.read_text(errors="replace") if environment.exists() else "",
        "log": Path(broker.log).read_text(),
        "state": (secure_kafka.data / "cluster.json").read_text(),
        "configs": told,
    }
    leaks = [name for name, text in seen.items() for secret in secrets_of(secure_kafka) if secret in text]
    assert leaks == []


def test_certificates_are_made_without_a_password_on_a_command_line(tmp_path, monkeypatch):
    def refused(*_, **__):
        raise AssertionError("no other program is needed")

    monkeypatch.setattr(subprocess, "Popen", refused)
    certificates_module.make_certificates(tmp_path / "tls", "a-password-for-stores")
    assert {path.name for path in tmp_path.rglob("*")} == {
        "tls",
        "ca.pem",
        "broker.pem",
        "client.pem",
        "client.key",
        "client.p12",
        "truststore.p12",
    }
    made = certificates_module.Certificates(tmp_path / "tls")
    context = ssl.create_default_context(cafile=str(made.ca))
    context.load_cert_chain(made.client, made.client_key)  # raises when they do not belong together


def test_a_restart_keeps_passwords_certificates_ports_and_users(secure_kafka):
    kept = [secure_kafka.data / "credentials.json", *sorted((secure_kafka.data / "tls").iterdir())]
    before = [path.read_bytes() for path in kept]
    listeners = secure_kafka.status().listeners
    secure_kafka.stop()
    again = LocalCluster(secure_kafka.data).start()  # secure without being asked
    assert again.state == "running"
    assert again.listeners == listeners
    assert [path.read_bytes() for path in kept] == before
    assert brokers_seen(secure_kafka.client_settings("SASL_SSL", user="app", mechanism="SCRAM-SHA-256")) == 1
