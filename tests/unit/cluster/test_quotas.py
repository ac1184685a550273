"""Who is limited by a quota: everyone, or somebody whose name is the word for everyone."""

from __future__ import annotations

from types import SimpleNamespace

from kafka_topology.cluster.live.quotas import DEFAULT, Entity
from kafka_topology.cluster.security.quotas import QuotaCalls


class Answers:
    """A client whose brokers have these quotas: (type, name) to limits; None is Kafka's name for everyone."""

    def __init__(self, *quotas):
        self._entries = [
            SimpleNamespace(
                entity=[SimpleNamespace(entity_type=kind, entity_name=name) for kind, name in entity],
                values=[SimpleNamespace(key="producer_byte_rate", value=value)],
            )
            for entity, value in quotas
        ]

    def send(self, *_):
        return SimpleNamespace(error_code=0, error_message=None, entries=self._entries)

    def failed(self, *_):
        return None


def test_a_user_named_default_is_not_everyone():
    everyone, somebody, address = ([("user", None)], [("user", "default")], [("ip", "10.0.0.1")])
    calls = QuotaCalls(Answers((everyone, 1.0), (somebody, 2.0), (address, 3.0)))
    assert calls.describe_quotas() == {Entity(DEFAULT): {"producer_byte_rate": 1.0}}
    assert set(calls.other_quotas()) == {"user='default'", "ip=10.0.0.1"}
    assert QuotaCalls(Answers(([("user", "web"), ("client-id", "default")], 2.0))).describe_quotas() == {}
