"""One client configuration serves librdkafka and Java alike, or is refused."""

from __future__ import annotations

import pytest

from kafka_topology.spark_checks.reading.client_config import UntranslatableSetting, for_java, parse_properties


def test_properties() -> None:
    text = "# comment\n\nbootstrap.servers = a:1,b:2\nsasl.password=a=b#c\n"
    assert parse_properties(text) == {"bootstrap.servers": "a:1,b:2", "sasl.password": "a=b#c"}


def test_a_broken_line_is_refused_without_showing_it() -> None:
    with pytest.raises(ValueError, match=r"^line 2 is not of the form name=value$"):
        parse_properties("a=b\nhunter2\n")


FILES = {
    "ca.pem": "CA",
    "me.pem": "ME",
    "me.key": "-----BEGIN PRIVATE KEY-----",
    "old.key": "-----BEGIN RSA PRIVATE KEY-----",
}


def java(**settings: str) -> dict[str, str]:
    """Names with `_` for `.`; without what every client has."""
    client = {name.replace("_", "."): value for name, value in settings.items()}
    translated = for_java({"bootstrap.servers": "a:1", **client}, FILES.__getitem__)
    assert translated.pop("bootstrap.servers") == "a:1"
    return translated


def test_sasl_and_tls_for_java() -> None:
    assert java(
        security_protocol="sasl_ssl",
        sasl_mechanisms="SCRAM-SHA-512",
        sasl_username="shop",
        sasl_password='a"b\\c',
        ssl_ca_location="ca.pem",
        ssl_endpoint_identification_algorithm="none",
    ) == {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.jaas.config": "org.apache.kafka.common.security.scram.ScramLoginModule required"
        ' username="shop" password="a\\"b\\\\c";',
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": "CA",
        "ssl.endpoint.identification.algorithm": "",
    }


def test_a_client_certificate_is_given_as_text() -> None:
    assert java(ssl_certificate_location="me.pem", ssl_key_location="me.key", ssl_key_password="p") == {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.certificate.chain": "ME",
        "ssl.keystore.key": FILES["me.key"],
        "ssl.key.password": "p",
    }
    assert java(ssl_certificate_pem="X", ssl_key_pem="Y")["ssl.keystore.certificate.chain"] == "X"
    assert java(ssl_keystore_location="me.p12", ssl_keystore_password="p") == {
        "ssl.keystore.type": "PKCS12",
        "ssl.keystore.location": "me.p12",
        "ssl.keystore.password": "p",
    }


def test_tokens() -> None:
    unsigned = {"enable.sasl.oauthbearer.unsecure.jwt": "true", "sasl.oauthbearer.config": "principal=app"}
    assert for_java({"sasl.mechanism": "OAUTHBEARER", **unsigned})["sasl.jaas.config"].endswith(
        'OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="app";'
    )
    provider = {
        "sasl.oauthbearer.method": "oidc",
        "sasl.oauthbearer.client.id": "me",
        "sasl.oauthbearer.client.secret": "s",
        "sasl.oauthbearer.extensions": "logicalCluster=lkc-1, identityPoolId=p",
        "sasl.oauthbearer.token.endpoint.url": "https://login.example/token",
    }
    translated = for_java({"sasl.mechanism": "OAUTHBEARER", **provider})
    assert translated["sasl.oauthbearer.token.endpoint.url"] == "https://login.example/token"
    assert translated["sasl.login.callback.handler.class"].endswith(".OAuthBearerLoginCallbackHandler")
    assert translated["sasl.jaas.config"].endswith(
        'required clientId="me" clientSecret="s" extension_logicalCluster="lkc-1" extension_identityPoolId="p";'
    )


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"ssl_crl_location": "x"}, "ssl.crl.location has no translation"),
        ({"sasl_mechanism": "GSSAPI"}, "sasl.mechanism GSSAPI is not supported"),
        ({"sasl_mechanism": "OAUTHBEARER"}, "needs sasl.oauthbearer.method=oidc"),
        ({"ssl_key_location": "me.key"}, "needs both ssl.certificate.location and ssl.key.location"),
        ({"ssl_certificate_location": "me.pem", "ssl_key_location": "old.key"}, "openssl pkcs8 -topk8"),
    ],
)
def test_settings_that_java_clients_cannot_use_are_refused(settings: dict[str, str], said: str) -> None:
    with pytest.raises(UntranslatableSetting, match=said):
        java(**settings)


def test_a_file_that_cannot_be_read_is_named() -> None:
    with pytest.raises(UntranslatableSetting, match=r"^ssl\.ca\.location /no/such: no such file or directory$"):
        for_java({"ssl.ca.location": "/no/such"})
