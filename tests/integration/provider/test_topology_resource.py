"""One `Topology` for everything that files declare: the real engine, a real cluster, and a view for each item."""

from __future__ import annotations

import json

import pytest
import yaml
from pulumi_project import PulumiProject

TOPOLOGY = "kafka-topology:index:Topology"
OWN_PROGRAM = """\
from kafka_topology.sdk import Topology

Topology("shop", path="topology")
"""
SHIPPED = "from kafka_topology.program.deploy import deploy\n\ndeploy()\n"


class Stack(PulumiProject):
    """A project whose topology is `self.declared`, in one file."""

    def __init__(self, root, bootstrap_servers, program=OWN_PROGRAM):
        self.declared = {"version": 1, "topics": {}}
        super().__init__(root, bootstrap_servers, program)

    def program_environment(self):
        folder = self.root / "topology"
        folder.mkdir(exist_ok=True)
        (folder / "all.yaml").write_text(yaml.safe_dump(self.declared))
        return super().program_environment()

    def resources(self):
        """The state's entries by type and name."""
        found = json.loads(self.run("stack", "export"))["deployment"].get("resources", [])
        return {(each["type"].rpartition(":")[2], each["urn"].rpartition("::")[2]): each for each in found}

    def views(self):
        return {key for key, each in self.resources().items() if each.get("viewOf")}


@pytest.fixture
def stack(kafka, tmp_path):
    return Stack(tmp_path / "project", kafka.bootstrap_servers)


def topic(partitions=1, **others):
    return {"partitions": partitions, "replication": 3, "config": {"min.insync.replicas": 2}, **others}


def partitions_of(admin, name):
    found = admin.list_topics(timeout=10).topics
    return {n: len(each.partitions) for n, each in found.items() if n.startswith(name)}


def test_topics_from_first_preview_to_permitted_removal(stack, admin, name):
    orders, audit = f"{name}.orders", f"{name}.audit"
    stack.declared["topics"] = {
        orders: topic(2, config={"retention.ms": 60000, "min.insync.replicas": 2}),
        audit: topic(deletion="allowed"),
    }
    shown = stack.run("preview")
    assert f"{TOPOLOGY}" in shown
    assert orders in shown
    assert audit in shown
    assert partitions_of(admin, name) == {}

    stack.up()
    assert partitions_of(admin, name) == {orders: 2, audit: 1}
    assert stack.views() == {("Topic", orders), ("Topic", audit)}
    stack.up("--expect-no-changes")

    stack.declared["topics"][orders]["partitions"] = 4
    shown = stack.preview()
    assert "partitions: 2 => 4" in shown, shown
    stack.up()
    assert partitions_of(admin, name) == {orders: 4, audit: 1}
    stack.declared["topics"][orders]["partitions"] = 2
    assert "Kafka cannot remove partitions" in stack.run("preview", fails=True)
    stack.declared["topics"][orders]["partitions"] = 4

    protected = stack.declared["topics"].pop(orders)
    assert "is protected" in stack.run("preview", fails=True)
    assert "is protected" in stack.up(fails=True)
    assert partitions_of(admin, name) == {orders: 4, audit: 1}
    stack.declared["topics"] = {orders: protected}
    assert audit in stack.run("preview")
    stack.up()
    assert partitions_of(admin, name) == {orders: 4}
    assert stack.views() == {("Topic", orders)}

    assert "is protected" in stack.destroy(fails=True)
    assert partitions_of(admin, name) == {orders: 4}
    stack.declared["topics"][orders]["deletion"] = "allowed"
    stack.up()
    stack.destroy()
    assert partitions_of(admin, name) == {}
    assert stack.resources() == {}
