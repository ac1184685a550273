"""The schema says what the servicer does: the same keys, each with a description."""

from __future__ import annotations

from kafka_topology import __version__
from kafka_topology.provider import topics
from kafka_topology.provider.config import KEYS
from kafka_topology.provider.schema import schema
from kafka_topology.provider.servicer import KINDS


def test_the_schema_has_exactly_the_kinds_of_the_servicer():
    assert set(schema()["resources"]) == set(KINDS)
    assert schema()["version"] == __version__


def test_the_topic_has_exactly_the_inputs_and_outputs_of_the_code():
    topic = schema()["resources"]["kafka-topology:index:Topic"]
    assert set(topic["inputProperties"]) == set(topics.INPUTS)
    assert set(topic["properties"]) == set(topics.OUTPUTS)


def test_the_provider_has_exactly_the_keys_of_the_code_and_the_same_secrets():
    document = schema()
    for section in (document["config"]["variables"], document["provider"]["inputProperties"]):
        assert set(section) == {key.name for key in KEYS}
        for key in KEYS:
            assert section[key.name].get("secret", False) is key.secret
            environment = section[key.name].get("defaultInfo", {}).get("environment", [None])
            assert environment == [key.environment]


def test_everything_in_the_schema_is_described():
    document = schema()
    topic = document["resources"]["kafka-topology:index:Topic"]
    ownership = document["types"]["kafka-topology:index:Ownership"]
    for properties in (
        document["config"]["variables"],
        topic["inputProperties"],
        topic["properties"],
        ownership["properties"],
    ):
        assert all(item["description"] for item in properties.values())
