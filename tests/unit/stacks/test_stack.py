"""A stack's config as the provider understands it, and what the user gives instead."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kafka_topology.stacks.project import Project
from kafka_topology.stacks.pulumi_cli import ConfigValue, StackUnreadable
from kafka_topology.stacks.stack import Stack, client_config
from kafka_topology.topology import load

SECRETS = {"saslPassword", "tlsKey"}


def stack(root=Path("/shop"), name="dev", **values):
    return Stack(
        name, Project(root / "Pulumi.yaml"), {key: ConfigValue(text, key in SECRETS) for key, text in values.items()}
    )


def settings(environ=None, address=None, **values):
    return stack(**values).settings(environ or {}, address)


def test_the_path_is_relative_to_the_project():
    assert stack().path == Path("/shop/topology")
    assert stack(path="kafka/eu").path == Path("/shop/kafka/eu")
    assert stack(path="/etc/kafka").path == Path("/etc/kafka")


def test_a_qualified_name_has_a_short_one():
    assert stack(name="acme/shop/dev").short_name == "dev"


def test_settings_are_those_of_the_provider():
    found = settings(
        bootstrapServers="kafka:9093",
        saslMechanism="SCRAM-SHA-512",
        saslUsername="admin",
        saslPassword="hunter2",
        tlsCaCertificate="PEM",
        librdkafka='{"client.id": "audit"}',
        requestTimeout="20",
    )
    assert found.client == {
        "bootstrap.servers": "kafka:9093",
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "admin",
        "sasl.password": "hunter2",
        "ssl.ca.pem": "PEM",
        "client.id": "audit",
    }
    assert found.request_timeout == 20


def test_variables_fill_what_the_config_leaves_out():
    assert settings({"KAFKA_BOOTSTRAP_SERVERS": "kafka:9092"}).servers == "kafka:9092"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "kafka-topology:bootstrapServers is missing"),
        ({"bootstrapServers": "a:1", "saslUsername": "x"}, "kafka-topology:saslMechanism is missing"),
        ({"bootstrapServers": "a:1", "pth": "x"}, "kafka-topology:pth"),
        (
            {"bootstrapServers": "a:1", "requestTimeout": "soon"},
            "kafka-topology:requestTimeout: 'soon' is not a number",
        ),
    ],
)
def test_wrong_config_is_named_with_its_stack(values, message):
    with pytest.raises(StackUnreadable) as raised:
        settings(**values)
    assert message in str(raised.value)
    assert "the stack dev" in str(raised.value)


def test_a_secret_in_a_wrong_place_is_hidden():
    values = {"bootstrapServers": ConfigValue("a:1"), "saslMechanism": ConfigValue("hunter2", secret=True)}
    with pytest.raises(StackUnreadable) as raised:
        Stack("dev", Project(Path("Pulumi.yaml")), values).settings({})
    assert "hunter2" not in str(raised.value)
    assert "[secret]" in str(raised.value)
    assert "hunter2" not in repr(values)


def test_an_address_of_the_user_needs_none_in_the_stack():
    assert settings(address="other:9092").servers == "other:9092"


SECURED = {
    "bootstrapServers": "kafka:9093",
    "saslMechanism": "PLAIN",
    "saslUsername": "a",
    "saslPassword": "b",
    "tlsCaCertificate": "PEM",
    "tlsCertificate": "CERT",
    "tlsKey": "KEY",
}


@pytest.mark.parametrize(
    ("given", "gone"),
    [
        ({"ssl.ca.location": "ca.pem"}, {"ssl.ca.pem"}),
        ({"sasl.mechanisms": "SCRAM-SHA-512"}, {"sasl.mechanism"}),
        ({"ssl.keystore.location": "k.p12"}, {"ssl.certificate.pem", "ssl.key.pem"}),
        ({"sasl.username": "other"}, set()),
    ],
)
def test_what_the_user_gives_wins_over_what_says_the_same(given, gone):
    whole = settings(**SECURED)
    assert client_config(whole, given) == {
        **{name: value for name, value in whole.client.items() if name not in gone},
        **given,
    }


def test_the_region_of_msk_stays_with_its_login():
    found = settings(bootstrapServers="b:9098", saslMechanism="AWS_MSK_IAM", awsRegion="eu-west-1")
    assert client_config(found, {}).msk_region == "eu-west-1"
    assert client_config(found, {"sasl.mechanism": "PLAIN"}).msk_region is None


TOPOLOGY = "version: 1\ntopics:\n  shop.orders: {partitions: 3, replication: 3, owner: shop}\n"


def owned(tmp_path, topology):
    (tmp_path / "topology.yaml").write_text(topology)
    (tmp_path / "Pulumi.yaml").write_text("name: shop\n")
    (tmp_path / "Pulumi.dev.yaml").write_text("config:\n  kafka-topology:ownership:\n    topics: [shop.]\n")
    found = stack(tmp_path, bootstrapServers="a:1", ownership=json.dumps({"topics": ["shop."]}))
    declared = load(tmp_path / "topology.yaml").topology
    assert declared is not None
    return found.owning(declared, found.settings({})).ownership


def test_the_ownership_of_the_config_counts_and_is_found_in_its_file(tmp_path):
    ownership = owned(tmp_path, TOPOLOGY)
    assert (ownership.topics, ownership.groups) == (("shop.",), None)
    assert str(ownership.place("topics").location) == f"{tmp_path / 'Pulumi.dev.yaml'}:2:3"


def test_two_ownerships_are_refused(tmp_path):
    with pytest.raises(StackUnreadable, match="declared twice"):
        owned(tmp_path, f"{TOPOLOGY}ownership: {{topics: [shop.]}}\n")
