"""Which values of a setting mean the same, as Kafka itself reads them."""

from __future__ import annotations

import pytest

from kafka_topology.topology.kafka.equal import same

SAME = [
    ("topic", "retention.ms", "007", "7"),
    ("topic", "retention.ms", " 60000 ", "60000"),
    ("topic", "unclean.leader.election.enable", "TRUE", "true"),
    ("topic", "min.cleanable.dirty.ratio", "0.50", "0.5"),
    ("topic", "cleanup.policy", "compact,delete", "delete, compact"),
    ("broker", "log.retention.hours", "0168", "168"),
    ("group", "consumer.session.timeout.ms", "045000", "45000"),
]
OTHER = [
    ("topic", "compression.type", "3.10", "3.1"),
    ("broker", "inter.broker.protocol.version", "3.10", "3.1"),
    (
        "broker",
        "ssl.cipher.suites",
        "TLS_AES_256_GCM_SHA384,TLS_AES_128_GCM_SHA256",
        "TLS_AES_128_GCM_SHA256,TLS_AES_256_GCM_SHA384",
    ),
    ("topic", "a.setting.of.a.plugin", "007", "7"),
    ("topic", "a.setting.of.a.plugin", "b,a", "a,b"),
    ("topic", "retention.ms", "60000", "60001"),
]


@pytest.mark.parametrize(("scope", "key", "one", "other"), SAME)
def test_these_are_one_value(scope, key, one, other):
    assert same(scope, key, one, other)
    assert same(scope, key, other, one)


@pytest.mark.parametrize(("scope", "key", "one", "other"), OTHER)
def test_these_are_two_values(scope, key, one, other):
    assert not same(scope, key, one, other)


def test_not_set_is_the_same_as_nothing_else():
    assert same("topic", "retention.ms", None, None)
    assert not same("topic", "retention.ms", None, "604800000")
    assert not same("topic", "retention.ms", "", None)
