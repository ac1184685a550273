"""The provider's config: secrets stay secrets, text and structures are both understood."""

from __future__ import annotations

import pytest

from kafka_topology.provider.config.keys import check_config, diff_config, missing_keys, resolve
from kafka_topology.provider.config.settings import Owned
from kafka_topology.provider.plugin.properties import UNKNOWN, Output, Secret


def test_secret_keys_come_out_secret_even_if_the_user_forgot():
    checked = check_config(
        {
            "saslPassword": "a",
            "tlsKey": Output("b"),
            "librdkafka": Secret("{}"),
            "saslUsername": "u",
        }
    )
    assert checked.failures == ()
    assert checked.inputs == {
        "saslPassword": Secret("a"),
        "tlsKey": Output("b", secret=True),
        "librdkafka": Secret("{}"),
        "saslUsername": "u",
    }


def test_keys_of_the_program_and_of_the_engine_are_no_mistakes():
    checked = check_config({"path": "topology", "environment": "dev", "version": "1", "__internal": {}})
    assert checked.failures == ()
    assert set(checked.inputs) == {"version", "__internal"}


@pytest.mark.parametrize(
    ("inputs", "property_name", "word"),
    [
        ({"bootstrapServer": "x"}, "bootstrapServer", "Did you mean 'bootstrapServers'?"),
        ({"requestTimeout": "soon"}, "requestTimeout", "not a number"),
        ({"maxDeletes": -1}, "maxDeletes", "at least 0"),
        ({"ownership": '["shop."]'}, "ownership", "map"),
        ({"ownership": {"topics": "shop."}}, "ownership.topics", "not a list"),
        ({"librdkafka": "acks=all"}, "librdkafka", "map"),
        ({"saslMechanism": "SCRAM"}, "saslMechanism", "not one of PLAIN"),
        ({"securityProtocol": "TLS"}, "securityProtocol", "not one of PLAINTEXT"),
    ],
)
def test_mistakes_are_named(inputs, property_name, word):
    failures = {f.property: f.reason for f in check_config(inputs).failures}
    assert word in failures[property_name]


def test_text_from_the_stack_and_values_from_a_program_mean_the_same():
    as_text = resolve(
        {
            "bootstrapServers": "a:1",
            "ownership": '{"topics": ["shop."]}',
            "maxDeletes": "3",
            "librdkafka": Secret('{"socket.keepalive.enable": true}'),
        },
        {},
    )
    as_values = resolve(
        {
            "bootstrapServers": Output("a:1"),
            "ownership": {"topics": ["shop."]},
            "maxDeletes": 3,
            "librdkafka": {"socket.keepalive.enable": "true"},
        },
        {},
    )
    assert as_text == as_values
    assert as_text is not None
    assert as_text.owned == Owned(topics=("shop.",))
    assert as_text.client == {
        "bootstrap.servers": "a:1",
        "security.protocol": "PLAINTEXT",
        "socket.keepalive.enable": "true",
    }


def test_the_security_protocol_follows_from_the_rest():
    def protocol(**inputs):
        settings = resolve({"bootstrapServers": "a:1", **inputs}, {})
        assert settings is not None
        return settings.client["security.protocol"]

    assert protocol(tlsCaCertificate="pem") == "SSL"
    assert protocol(saslMechanism="PLAIN") == "SASL_SSL"
    assert protocol(saslMechanism="PLAIN", securityProtocol="SASL_PLAINTEXT") == "SASL_PLAINTEXT"


def test_the_environment_fills_what_the_stack_leaves_out():
    environment = {"KAFKA_BOOTSTRAP_SERVERS": "e:1", "KAFKA_SASL_PASSWORD": "hunter2", "KAFKA_SASL_MECHANISM": "PLAIN"}
    assert [key.name for key in missing_keys({}, {})] == ["bootstrapServers"]
    assert missing_keys({}, environment) == ()
    settings = resolve({"saslUsername": "u"}, environment)
    assert settings is not None
    assert settings.servers == "e:1"
    assert settings.redact("password hunter2 was wrong") == "password [secret] was wrong"
    assert "hunter2" not in repr(settings)


def test_settings_wait_until_every_value_is_known():
    assert resolve({"bootstrapServers": UNKNOWN}, {}) is None
    assert missing_keys({"bootstrapServers": UNKNOWN}, {}) == ()


def test_a_changed_config_is_reported_per_key():
    old = {
        "bootstrapServers": "a:1",
        "ownership": '{"topics": ["a."]}',
        "saslPassword": Secret("x"),
    }
    new = {"bootstrapServers": "b:1", "ownership": {"topics": ["a."]}, "saslPassword": Secret("y")}
    assert [change.path for change in diff_config(old, new)] == ["bootstrapServers", "saslPassword"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("requestTimeout", 0),
        ("requestTimeout", "0"),
        ("operationTimeout", -1),
        ("operationTimeout", "nan"),
        ("requestTimeout", "inf"),
        ("requestTimeout", "soon"),
        ("maxDeletes", 1.5),
        ("maxDeletes", "1.5"),
        ("maxDeletes", -1),
        ("maxDeletes", float("nan")),
        ("maxDeletes", True),
        ("replicationThrottle", "-5"),
        ("replicationThrottle", 0.5),
    ],
)
def test_numbers_that_make_no_sense_are_refused_also_as_text(key, value):
    failures = check_config({"bootstrapServers": "b:1", key: value}).failures
    assert [failure.property for failure in failures] == [key]
    assert repr(value) in failures[0].reason


@pytest.mark.parametrize(
    ("grants", "path"),
    [
        ({"topic": ["a"]}, "ownership.grants.topic"),
        ({"topics": "a"}, "ownership.grants.topics"),
        ({"topics": [""]}, "ownership.grants.topics"),
        ({"cluster": ["Everything"]}, "ownership.grants.cluster"),
        (["a"], "ownership.grants"),
    ],
)
def test_grants_that_cannot_be_understood_are_refused(grants, path):
    failures = check_config({"bootstrapServers": "b:1", "ownership": {"grants": grants}}).failures
    assert [failure.property for failure in failures] == [path]


def test_a_login_by_tokens_says_what_it_needs():
    bearer = {"bootstrapServers": "a:1", "saslMechanism": "OAUTHBEARER", "oauthClientSecret": "s"}
    assert {key.name for key in missing_keys(bearer, {})} == {"oauthTokenUrl", "oauthClientId"}
    environment = {"KAFKA_OAUTH_TOKEN_URL": "https://tokens", "KAFKA_OAUTH_CLIENT_ID": "shop"}
    assert not missing_keys(bearer, environment)
    assert not missing_keys(bearer | {"librdkafka": {"sasl.oauthbearer.config": "principal=admin"}}, {})


@pytest.mark.parametrize("login", ["saslUsername", "saslPassword"])
def test_a_login_without_a_mechanism_would_not_be_used_and_is_refused(login):
    given = {"bootstrapServers": "b:1", login: "shop"}
    assert [key.name for key in missing_keys(given, {})] == ["saslMechanism"]
    assert missing_keys({**given, "saslMechanism": "PLAIN"}, {}) == ()
    assert missing_keys({**given, "librdkafka": {"sasl.mechanism": "PLAIN"}}, {}) == ()
