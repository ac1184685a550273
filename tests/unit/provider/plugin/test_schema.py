"""The schema says what the servicer does: the same keys, each with a description."""

from __future__ import annotations

import pytest

from kafka_topology import __version__
from kafka_topology.provider.config.keys import KEYS
from kafka_topology.provider.plugin.lifecycle import CLUSTER_ID
from kafka_topology.provider.plugin.schema import schema
from kafka_topology.provider.resources.access import inputs as acls
from kafka_topology.provider.resources.descriptor import installed_kinds
from kafka_topology.provider.resources.topology import inputs as topologies
from kafka_topology.provider.resources.topology.items import TOPOLOGY


def test_the_schema_has_exactly_the_kinds_of_the_servicer():
    assert set(schema()["resources"]) == {TOPOLOGY, *(kind.token for kind in installed_kinds().values())}
    assert schema()["version"] == __version__


def test_the_kinds_are_in_the_order_of_their_registration():
    ours = [name for name in installed_kinds() if name in {"Topic", "ConsumerGroup", "User", "Access", "Quota"}]
    assert ours == ["Topic", "ConsumerGroup", "User", "Access", "Quota"]
    assert [kind.order for kind in installed_kinds().values()] == sorted(
        kind.order for kind in installed_kinds().values()
    )


@pytest.mark.parametrize("kind", installed_kinds().values(), ids=installed_kinds())
def test_each_kind_has_exactly_the_inputs_and_outputs_of_the_code(kind):
    resource = schema()["resources"][kind.token]
    assert set(resource["inputProperties"]) == set(kind.inputs)
    assert set(resource["properties"]) == {*kind.outputs, CLUSTER_ID}
    assert set(resource.get("requiredInputs", ())) <= set(kind.inputs)
    assert set(resource.get("required", ())) <= set(kind.outputs)


def test_a_topology_has_exactly_the_inputs_and_outputs_of_the_code():
    resource = schema()["resources"][TOPOLOGY]
    assert set(resource["inputProperties"]) == set(topologies.INPUTS)
    assert set(resource["properties"]) == {*topologies.OUTPUTS, CLUSTER_ID}
    assert resource["inputProperties"]["secrets"]["secret"] is True


def test_an_access_rule_has_exactly_the_fields_of_the_code():
    assert set(schema()["types"]["kafka-topology:index:AccessRule"]["properties"]) == set(acls.RULE_FIELDS)


def test_a_password_is_secret_in_inputs_and_outputs():
    user = schema()["resources"]["kafka-topology:index:User"]
    assert user["inputProperties"]["password"]["secret"] is True
    assert user["properties"]["password"]["secret"] is True


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
    described = [document["config"]["variables"]]
    described += [
        resource[side] for resource in document["resources"].values() for side in ("inputProperties", "properties")
    ]
    described += [kind["properties"] for kind in document["types"].values()]
    for properties in described:
        assert all(item["description"] for item in properties.values())
    assert all(resource["description"] for resource in document["resources"].values())
