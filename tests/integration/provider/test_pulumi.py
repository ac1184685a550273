"""The whole provider under the real Pulumi engine, on a real cluster, with the state in a file."""

from __future__ import annotations

import time
from importlib.util import cache_from_source
from pathlib import Path
from uuid import uuid4

import pytest
from confluent_kafka.admin import (
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)
from pulumi_project import PROGRAM, PulumiProject, free_port


@pytest.fixture
def project(kafka, tmp_path) -> PulumiProject:
    return PulumiProject(tmp_path / "project", kafka.bootstrap_servers)


@pytest.fixture
def prefix() -> str:
    return f"engine-{uuid4().hex[:8]}"


def on_cluster(admin, prefix):
    """What Kafka says of the topics of one test: partitions, and the configs set on them."""
    topics = admin.list_topics(timeout=10).topics
    partitions = {n: len(topic.partitions) for n, topic in topics.items() if n.startswith(prefix)}
    if not partitions:
        return {}
    answers = admin.describe_configs([ConfigResource(ResourceType.TOPIC, n) for n in partitions])
    return {
        resource.name: (
            partitions[resource.name],
            {e.name: e.value for e in answer.result(10).values() if e.source == 1},
        )
        for resource, answer in answers.items()
    }


def set_by_hand(admin, topic, key, value):
    entry = ConfigEntry(key, value, incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
    (answer,) = admin.incremental_alter_configs([resource]).values()
    answer.result(10)


def test_a_topic_from_first_up_to_permitted_destroy(project, admin, prefix):
    orders, audit = f"{prefix}.orders", f"{prefix}.audit"
    project.topics = {
        orders: {
            "partitions": 3,
            "replication": 1,
            "key_type": "uuid",
            "config": {"retention.ms": "60000", "cleanup.policy": "compact,delete"},
        },
        audit: {"partitions": 1, "replication": 1, "deletion": "allowed"},
    }
    project.up()
    assert on_cluster(admin, prefix) == {
        orders: (3, {"retention.ms": "60000", "cleanup.policy": "compact,delete"}),
        audit: (1, {}),
    }
    project.up("--expect-no-changes")

    project.topics[orders]["config"] = {"retention.ms": "120000", "segment.ms": "60000"}
    project.topics[orders]["partitions"] = 6
    shown = project.preview()
    assert '~ retention.ms  : "60000" => "120000"' in shown
    assert "- cleanup.policy" in shown
    assert "+ segment.ms" in shown
    assert "partitions: 3 => 6" in shown
    assert "order per key is not kept" in shown
    assert "replace" not in shown
    project.up()
    changed = (6, {"retention.ms": "120000", "segment.ms": "60000"})
    assert on_cluster(admin, prefix)[orders] == changed

    for change, words in (
        ({"partitions": 2}, "has 6 partitions and cannot shrink to 2"),
        ({"name": f"{prefix}.sales"}, "cannot be renamed"),
        ({"key_type": "long"}, "has keys of type uuid and cannot change to long"),
    ):
        declared = dict(project.topics[orders])
        project.topics[orders].update(change)
        assert words in " ".join(project.preview(fails=True).split())
        project.topics[orders] = declared
    assert on_cluster(admin, prefix)[orders] == changed

    refused = project.destroy(fails=True)
    assert f"topic '{orders}' is protected" in refused
    assert set(on_cluster(admin, prefix)) == {orders}  # the other one was allowed to go

    project.topics = {orders: {**project.topics[orders], "deletion": "allowed"}}
    project.up()
    project.destroy()
    assert on_cluster(admin, prefix) == {}


def test_refresh_shows_what_was_changed_by_hand_and_up_puts_it_back(project, admin, prefix):
    config = {"retention.ms": "60000"}
    kept, lost = f"{prefix}.kept", f"{prefix}.lost"
    project.topics = {name: {"partitions": 1, "replication": 1, "config": config} for name in (kept, lost)}
    project.up()
    project.run("refresh", "--yes", "--skip-preview", "--expect-no-changes")

    set_by_hand(admin, kept, "retention.ms", "999")
    set_by_hand(admin, kept, "segment.ms", "70000")
    admin.delete_topics([lost])[lost].result(10)
    shown = project.run("refresh", "--yes", "--skip-preview", "--diff")
    assert '~ retention.ms: "60000" => "999"' in shown
    assert "left alone: segment.ms=70000" in shown  # not declared: reported, and listed in the output `undeclared`
    assert "segment.ms: " not in shown  # and no change of the declared config
    assert f"topic '{lost}' (id" in shown
    assert "HAS VANISHED" in shown
    assert "1 deleted" in shown

    project.up()
    assert on_cluster(admin, prefix) == {
        kept: (1, {"retention.ms": "60000", "segment.ms": "70000"}),
        lost: (1, config),
    }


def test_an_imported_topic_shows_no_change_and_a_missing_one_is_an_error(project, admin, prefix):
    topic = {"partitions": 2, "replication": 1, "config": {"retention.ms": "60000"}}
    project.topics = {prefix: topic}
    project.up()
    project.forget(prefix)

    project.bring_in(prefix)
    project.topics = {prefix: {**topic, "key_type": "uuid"}}
    project.preview("--expect-no-changes")

    missing = f"{prefix}.missing"
    assert "does not exist" in project.bring_in(missing, fails=True)


def test_a_different_existing_topic_stops_the_preview_and_an_equal_one_is_adopted(project, admin, prefix):
    project.topics = {prefix: {"partitions": 2, "replication": 1}}
    project.up()
    project.forget(prefix)

    project.topics[prefix]["partitions"] = 5
    assert "partitions: declared 5, live 2" in project.preview(fails=True)
    assert "partitions: declared 5, live 2" in project.up(fails=True)
    assert on_cluster(admin, prefix) == {prefix: (2, {})}

    project.topics[prefix]["partitions"] = 2
    project.up()
    project.up("--expect-no-changes")


def test_secrets_are_nowhere_in_clear(kafka, tmp_path, prefix):
    program = PROGRAM + (
        "\nfrom kafka_topology.sdk import Provider\n"
        "import pulumi\n"
        f'own = Provider("own", bootstrap_servers="{kafka.bootstrap_servers}", sasl_password="hunter2-forgotten",\n'
        '               sasl_mechanism="PLAIN", security_protocol="PLAINTEXT")\n'
        f'Topic("{prefix}.own", partitions=1, replication=3, deletion="allowed",\n'
        "      opts=pulumi.ResourceOptions(provider=own))\n"
    )
    project = PulumiProject(tmp_path / "project", kafka.bootstrap_servers, program)
    project.configure("saslPassword", "hunter2-config", "--secret")
    project.configure("saslMechanism", "PLAIN")
    project.configure("securityProtocol", "PLAINTEXT")
    project.topics = {prefix: {"partitions": 1, "replication": 1, "deletion": "allowed"}}
    shown = project.up() + project.run("stack", "export")
    project.configure("bootstrapServers", f"127.0.0.1:{free_port()}")
    project.topics[prefix]["partitions"] = 2
    shown += project.up(fails=True)
    assert "cannot be reached" in shown
    assert "hunter2" not in shown
    leaks = {path for path in project.root.rglob("*") if path.is_file() and b"hunter2-" in path.read_bytes()}
    source = project.root / "program" / "__main__.py"  # spells one out, and so does Python's compiled copy
    assert source in leaks
    assert leaks <= {source, Path(cache_from_source(str(source)))}


def test_an_unreachable_cluster_can_be_previewed_if_that_is_wanted_and_fails_at_once(project, prefix):
    project.topics = {prefix: {"partitions": 1, "replication": 1}}
    project.up()
    project.configure("bootstrapServers", f"127.0.0.1:{free_port()}")
    project.topics[prefix]["partitions"] = 2
    project.topics[f"{prefix}.new"] = {"partitions": 1, "replication": 1}

    assert "cannot be reached" in project.preview(fails=True)
    project.configure("offlinePreview", "true")
    shown = project.preview()
    assert "made from the state alone" in shown
    assert "partitions: 1 => 2" in shown

    started = time.monotonic()
    shown = project.up(fails=True)
    assert time.monotonic() - started < 15
    assert "cannot be reached" in shown
