"""One client configuration serves librdkafka and Java alike, or is refused."""

from __future__ import annotations

import pytest

from kafka_topology.spark_checks.client_config import UntranslatableSetting, for_java, parse_properties


def test_properties() -> None:
    text = "# comment\n\nbootstrap.servers = a:1,b:2\nsasl.password=a=b#c\n"
    assert parse_properties(text) == {"bootstrap.servers": "a:1,b:2", "sasl.password": "a=b#c"}


def test_a_broken_line_is_refused_without_showing_it() -> None:
    with pytest.raises(ValueError, match=r"^line 2 is not of the form name=value$"):
        parse_properties("a=b\nhunter2\n")


def test_sasl_and_tls_for_java() -> None:
    java = for_java(
        {
            "bootstrap.servers": "a:1",
            "security.protocol": "SASL_SSL",
            "sasl.mechanisms": "SCRAM-SHA-512",
            "sasl.username": "shop",
            "sasl.password": 'a"b\\c',
            "ssl.ca.location": "ca.pem",
            "ssl.endpoint.identification.algorithm": "none",
        }
    )
    assert java == {
        "bootstrap.servers": "a:1",
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.jaas.config": "org.apache.kafka.common.security.scram.ScramLoginModule required"
        ' username="shop" password="a\\"b\\\\c";',
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": "ca.pem",
        "ssl.endpoint.identification.algorithm": "",
    }


@pytest.mark.parametrize("setting", [{"ssl.key.location": "k"}, {"sasl.mechanism": "GSSAPI"}])
def test_what_java_cannot_be_told_is_refused(setting: dict[str, str]) -> None:
    with pytest.raises(UntranslatableSetting, match=next(iter(setting))):
        for_java({"bootstrap.servers": "a:1", **setting})
