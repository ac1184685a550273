"""A topology file with roles, rules, users and quotas, applied by the program: Kafka's tools see just that."""

from __future__ import annotations

from uuid import uuid4

import pytest
from kafka_tools import acls_seen, quotas_seen, users_seen
from pulumi_project import PulumiProject

from kafka_topology.topology import load
from kafka_topology.topology.access import derived_acls

PROGRAM = "from kafka_topology.deploy import deploy\n\ndeploy()\n"
TOPOLOGY = """\
version: 1
cluster: {{kafka: "4.1", brokers: 3}}
ownership: {{topics: [{0}.], groups: [{0}.], principals: ["User:{0}-"]}}
topics:
  {0}.orders: {{owner: checkout, visibility: public, partitions: 3, replication: 3, deletion: allowed, retention: 1d,
    config: {{min.insync.replicas: 2}}}}
producers:
  {0}-checkout: {{owner: checkout, principal: "User:{0}-checkout", topics: [{0}.orders]}}
consumerGroups:
  {0}.billing: {{owner: billing, principal: "User:{0}-billing", topics: [{0}.orders], start: earliest,
    deletion: allowed, config: {{enable.auto.commit: false}}}}
acls:
  - {{principal: "User:{0}-audit", topic: {0}., pattern: prefixed, operations: [Describe]}}
users:
  {0}-checkout: {{mechanism: SCRAM-SHA-512, password: {{secret: checkoutPassword}}}}
quotas:
  - {{user: {0}-checkout, producerByteRate: 5MB/s, requestPercentage: 50}}
"""


@pytest.fixture
def name():
    return f"file{uuid4().hex[:8]}"


def test_a_topology_with_access_users_and_quotas(kafka, tmp_path, name):
    project = PulumiProject(tmp_path / "project", kafka.bootstrap_servers, PROGRAM)
    file = project.root / "topology" / "topology.yaml"
    file.parent.mkdir()
    file.write_text(TOPOLOGY.format(name))
    assert "checkoutPassword" in project.preview(fails=True)  # what is missing is named
    project.run("config", "set", "--secret", "checkoutPassword", "hunter2")

    shown = project.up()
    topology = load(file).topology
    assert topology is not None
    for principal in (f"User:{name}-{role}" for role in ("checkout", "billing", "audit")):
        wanted = {
            f"{g.permission.upper()} {g.operation.upper()} {g.resource.upper()} {g.pattern.upper()} {g.name} {g.host}"
            for g in derived_acls(topology)
            if g.principal == principal
        }
        assert wanted
        assert acls_seen(kafka, principal) == wanted
    assert users_seen(kafka, name) == {f"{name}-checkout": "SCRAM-SHA-512=iterations=8192"}
    assert quotas_seen(kafka, name) == {
        f"user-principal '{name}-checkout'": {"producer_byte_rate": 5000000, "request_percentage": 50}
    }
    project.up("--expect-no-changes")
    project.run("refresh", "--yes", "--skip-preview", "--expect-no-changes")

    exported = project.run("stack", "export")
    assert "Team$kafka-topology:index:Access::User:" in exported
    assert "Team$kafka-topology:index:User::" in exported
    shown += exported + project.destroy()
    assert "hunter2" not in shown
    assert acls_seen(kafka, f"User:{name}-checkout") == set()
    assert users_seen(kafka, name) == {}
    assert quotas_seen(kafka, name) == {}
