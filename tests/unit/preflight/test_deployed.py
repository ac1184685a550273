"""What was deployed: from the state of a stack, or from an earlier version of the files."""

from __future__ import annotations

import pytest

from kafka_topology.preflight.deployed import BadState, deployed_by, read_state, version_of
from kafka_topology.topology import load

SECRET = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "v1:abc"}


def resource(kind, name, inputs, outputs=None, **more):
    urn = f"urn:pulumi:dev::shop::kafka-topology:index:{kind}::{name}"
    return {
        "urn": urn,
        "type": f"kafka-topology:index:{kind}",
        "id": name,
        "inputs": inputs,
        "outputs": outputs or {},
        **more,
    }


def test_the_state_has_resources_the_cluster_and_the_version():
    topic = {"name": "shop.orders", "partitions": 6.0, "replication": 3.0, "__defaults": []}
    state = {
        "deployment": {
            "resources": [
                {"urn": "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev", "type": "pulumi:pulumi:Stack"},
                {"urn": "…::main", "type": "pulumi:providers:kafka-topology", "inputs": {"version": "1.10.0"}},
                resource("Topic", "shop.orders", topic, {"clusterId": "abc"}),
                resource("Topic", "shop.gone", topic, delete=True),
                resource("User", "app", {"name": "app", "password": SECRET}),
            ],
            "pending_operations": [{"resource": resource("Topic", "shop.late", {}), "type": "creating"}],
        }
    }
    found = read_state(state, "the state")
    assert list(found.resources) == [("Topic", "shop.orders"), ("User", "app")]
    assert found.resources["Topic", "shop.orders"].inputs == {"name": "shop.orders", "partitions": 6, "replication": 3}
    assert "v1:abc" not in repr(found.resources["User", "app"])
    assert (found.cluster, found.provider, found.unfinished) == ("abc", "1.10.0", ("shop.late",))


@pytest.mark.parametrize("document", [None, [], {}, {"deployment": 3}])
def test_something_else_is_no_state(document):
    with pytest.raises(BadState):
        read_state(document, "a file")


def test_an_earlier_version_counts_as_deployed_completely(tmp_path):
    file = tmp_path / "topology.yaml"
    file.write_text(
        "version: 1\ntopics: {t: {partitions: 1, replication: 3}}\n"
        "users: {app: {mechanism: SCRAM-SHA-512, password: {secret: app}}}\n"
    )
    loaded = load(file)
    assert loaded.topology is not None, loaded.problems
    assert set(deployed_by(loaded.topology, "HEAD").resources) >= {("Topic", "t"), ("User", "app")}


def test_versions_compare_as_numbers():
    assert (version_of("1.10.0") or ()) > (version_of("v1.9.2-alpha+x") or ())
    assert version_of("unknown") is None
