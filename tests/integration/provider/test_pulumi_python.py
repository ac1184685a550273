"""The example in Python: typed classes, two clusters, and the plugin as a bare executable on PATH."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient
from kafka_tools import acls_seen, quotas_seen, users_seen
from pulumi_project import PulumiProject

EXAMPLE = Path(__file__).parents[3] / "examples" / "pulumi-python"


@pytest.fixture
def project(kafka, secure_kafka, tmp_path):
    project = PulumiProject(tmp_path / "project", kafka.bootstrap_servers)
    settings = (EXAMPLE / "Pulumi.yaml").read_text()
    assert "plugins" not in settings
    (project.root / "Pulumi.yaml").write_text(settings.replace("name: orders-in-python", "name: tried"))
    (project.root / "__main__.py").write_text((EXAMPLE / "__main__.py").read_text())
    project.run("config", "rm", "kafka-topology:bootstrapServers")  # each provider has its own
    project.run("config", "set", "bootstrap", kafka.bootstrap_servers)
    project.run("config", "set", "mirror", secure_kafka.bootstrap_servers)
    project.run("config", "set", "--secret", "checkoutPassword", "hunter2")
    return project


def topics_of(cluster):
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    return {name: len(topic.partitions) for name, topic in admin.list_topics(timeout=10).topics.items()}


def test_the_example_in_python_on_two_clusters(project, kafka, secure_kafka):
    shown = project.preview() + project.up()
    for cluster in (kafka, secure_kafka):
        assert topics_of(cluster)["shop.orders"] == 6
    assert acls_seen(kafka, "User:shop-checkout") == {
        "ALLOW WRITE TOPIC LITERAL shop.orders *",
        "ALLOW DESCRIBE TOPIC LITERAL shop.orders *",
        "ALLOW WRITE TRANSACTIONAL_ID PREFIXED shop-checkout- *",
    }
    assert users_seen(kafka, "shop-checkout") == {"shop-checkout": "SCRAM-SHA-512=iterations=8192"}
    assert quotas_seen(kafka, "shop-checkout") == {
        "user-principal 'shop-checkout'": {"producer_byte_rate": 5000000, "request_percentage": 50}
    }
    project.up("--expect-no-changes")
    project.run("refresh", "--yes", "--skip-preview", "--expect-no-changes")
    outputs = json.loads(project.run("stack", "output", "--json"))
    assert outputs["undeclaredAccess"] == []

    shown += project.run("stack", "export") + project.destroy()
    assert "hunter2" not in shown
    assert acls_seen(kafka, "User:shop-checkout") == set()
    assert users_seen(kafka, "shop-checkout") == {}
    assert quotas_seen(kafka, "shop-checkout") == {}
    for cluster in (kafka, secure_kafka):
        assert "shop.orders" not in topics_of(cluster)
