"""What an Access may grant with an ownership: refused in the preview, and again when it is applied."""

from __future__ import annotations

from uuid import uuid4

import grpc
import pytest
from grpc_engine import ACCESS, on_cluster
from kafka_tools import acls_seen
from pulumi_project import PulumiProject

OWNED = {"topics": ["shop."], "groups": ["shop."], "principals": ["User:shop-"]}


def rule(resource, name, *operations, **others):
    return {"resource": resource, "name": name, "operations": list(operations), **others}


@pytest.mark.parametrize(
    ("outside", "path", "fix"),
    [
        (rule("cluster", "kafka-cluster", "All"), "rules[1].operations[0]", 'cluster: ["All"]'),
        (rule("topic", "*", "Read"), "rules[1].name", 'topics: ["*"]'),
        (rule("topic", "sho", "Read", pattern="prefixed"), "rules[1].name", 'topics: ["sho"]'),
        (rule("group", "bank.billing", "Read"), "rules[1].name", 'groups: ["bank.billing"]'),
        (rule("transactional-id", "bank-", "Write"), "rules[1].name", 'transactionalIds: ["bank-"]'),
    ],
)
def test_access_outside_the_ownership_is_refused_in_the_preview_and_at_apply_time(kafka, outside, path, fix):
    principal = f"User:shop-{uuid4().hex[:8]}"
    inputs = {"principal": principal, "rules": [rule("topic", "shop.orders", "Read"), outside]}

    async def steps(client):
        access = client.of(ACCESS)
        _, failures = await access.check(principal, inputs)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await access.create(checked_by_hand(inputs))
        return failures, refused.value

    failures, refused = on_cluster(kafka, steps, ownership=OWNED)
    assert list(failures) == [path]
    assert fix in failures[path]
    assert refused.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert fix in refused.details()
    assert not acls_seen(kafka, principal)


def test_what_is_granted_denied_or_owned_is_made(kafka):
    principal = f"User:shop-{uuid4().hex[:8]}"
    rules = [
        rule("topic", "shop.", "All", pattern="prefixed"),
        rule("topic", "bank.payments", "Read"),
        rule("topic", "*", "Delete", permission="deny"),
        rule("cluster", "kafka-cluster", "IdempotentWrite", "Describe"),
        rule("transactional-id", "shop-checkout-", "Write", pattern="prefixed"),
    ]

    async def steps(client):
        access = client.of(ACCESS)
        checked, failures = await access.check(principal, {"principal": principal, "rules": rules})
        assert not failures
        await access.create(checked)

    grants = {"topics": ["bank."], "cluster": ["Describe"]}
    on_cluster(kafka, steps, ownership={**OWNED, "grants": grants})
    assert len(acls_seen(kafka, principal)) == 6


def checked_by_hand(inputs):
    """As a state of elsewhere has it: Check never saw it."""
    defaults = {"pattern": "literal", "host": "*", "permission": "allow"}
    return {**inputs, "rules": [{**defaults, **each} for each in inputs["rules"]]}


def test_the_ownership_of_the_stacks_config_limits_a_topology_without_one(kafka, tmp_path):
    name = f"owned-{uuid4().hex[:8]}"
    program = "from kafka_topology.program.deploy import deploy\n\ndeploy()\n"
    project = PulumiProject(tmp_path / "project", kafka.bootstrap_servers, program)
    project.run("config", "rm", "kafka-topology:rules")
    topology = f"version: 1\ntopics:\n  {name}: {{partitions: 1, replication: 3, config: {{min.insync.replicas: 2}}}}\n"
    (project.root / "topology.yaml").write_text(topology)
    project.configure("path", "topology.yaml")
    project.configure("ownership", '{"topics": ["other."]}')
    for shown in (project.preview(fails=True), project.up(fails=True)):
        assert "outside the ownership (other.)" in " ".join(shown.split())
    (project.root / "topology.yaml").write_text(topology + "ownership: {topics: [owned-]}\n")
    assert "The ownership is declared twice" in " ".join(project.preview(fails=True).split())
    project.run("config", "rm", "kafka-topology:ownership")
    project.preview()
