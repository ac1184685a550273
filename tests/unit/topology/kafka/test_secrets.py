"""Which settings hold secrets: every one that Kafka or librdkafka says so of."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from kafka_topology.topology.kafka.catalogue import SCOPES, VERSIONS, catalogue
from kafka_topology.topology.kafka.secrets import PUBLIC, names_secret

LIBRDKAFKA = json.loads(
    files("kafka_topology.topology.kafka.clients.libraries").joinpath("librdkafka.json").read_text(encoding="utf-8")
)["settings"]
SECRETS_OF_LIBRDKAFKA = {
    "ssl.key.password",
    "ssl.key.pem",
    "ssl.keystore.password",
    "sasl.password",
    "sasl.oauthbearer.client.secret",
    "sasl.oauthbearer.client.credentials.client.secret",
    "sasl.oauthbearer.assertion.private.key.passphrase",
    "sasl.oauthbearer.assertion.private.key.pem",
}


@pytest.mark.parametrize("version", VERSIONS)
def test_every_password_of_kafka_is_secret_and_nothing_else(version: str) -> None:
    keys = {name: key for scope in SCOPES for name, key in getattr(catalogue(version), scope).items()}
    passwords = {name for name, key in keys.items() if key.type == "password" and name not in PUBLIC}
    assert passwords
    assert {name for name in keys if names_secret(name)} == passwords


def test_the_secrets_of_librdkafka() -> None:
    assert {name for name in LIBRDKAFKA if names_secret(name)} == SECRETS_OF_LIBRDKAFKA
