"""One `Topology` for everything that files declare: the real engine, a real cluster, and a view for each item."""

from __future__ import annotations

import json
import os
import signal

import pytest
import yaml
from changing_stacks import KINDS, PASSWORD, YamlStack, shared, things, use
from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, NewTopic, ResourceType
from kills import plugins_of
from pulumi_project import PulumiProject

TOPOLOGY = "kafka-topology:index:Topology"
OWN_PROGRAM = """\
import pulumi
from kafka_topology.sdk import Topology

Topology("shop", path="topology", opts=pulumi.ResourceOptions(delete_before_replace=True))
"""


def in_state(stack):
    """The state's entries by type and name."""
    found = json.loads(stack.run("stack", "export"))["deployment"].get("resources", [])
    return {(each["type"].rpartition(":")[2], each["urn"].rpartition("::")[2]): each for each in found}


def views(stack):
    return {key for key, each in in_state(stack).items() if each.get("viewOf")}


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
    assert views(stack) == {("Topic", orders), ("Topic", audit)}
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
    assert views(stack) == {("Topic", orders)}

    assert "is protected" in stack.destroy(fails=True)
    assert partitions_of(admin, name) == {orders: 4}
    stack.declared["topics"][orders]["deletion"] = "allowed"
    stack.up()
    stack.destroy()
    assert partitions_of(admin, name) == {}
    assert in_state(stack) == {}


@pytest.fixture
def six(kafka, tmp_path, name):
    """The program of this repository, one resource per item: a topology with one item of every kind."""
    stack = YamlStack(tmp_path / "project", kafka, name)
    stack.up()
    use(kafka, name)
    return stack


def all_views(name):
    others = {(kind, name) for kind in KINDS if kind not in {"ShareGroup", "Access", "Quota"}}
    return {*others, ("ShareGroup", shared(name)), ("Access", f"User:{name}"), ("Quota", f"user={name}")}


@pytest.mark.parametrize("deletion", ["force", "protected"])
def test_a_stack_moves_to_one_resource_and_back(six, kafka, name, deletion):
    six.write(deletion=deletion)
    six.up()
    before = things(kafka, name)
    singles = set(in_state(six))
    as_before = dict.fromkeys(KINDS, "as before")

    for choice in ("one", "each"):
        six.configure("resources", choice)
        if deletion == "protected":
            assert "state unprotect" in six.run("preview", fails=True)
            six.up(fails=True)
            assert things(kafka, name).same_as(before) == as_before
            six.run("state", "unprotect", "--all", "--yes")
        said = six.up()
        assert f"topic '{name}' stays on the cluster" in said
        assert things(kafka, name).same_as(before) == as_before
        six.up("--expect-no-changes")
        six.run("refresh", "--yes", "--skip-preview", "--expect-no-changes")
        six.up("--expect-no-changes")
        assert things(kafka, name).same_as(before) == as_before
        if choice == "one":
            assert views(six) == all_views(name)
            assert PASSWORD not in six.run("stack", "export")
    assert set(in_state(six)) == singles
    assert views(six) == set()


def test_the_next_run_completes_what_failed(stack, admin, name):
    good, taken = f"{name}.good", f"{name}.taken"
    admin.create_topics([NewTopic(taken, 5, 3, config={"min.insync.replicas": "2"})])[taken].result(20)
    stack.declared["topics"] = {good: topic(), taken: topic()}
    stack.declared["consumerGroups"] = {
        f"{name}.reader": {
            "principal": f"User:{name}",
            "topics": [taken],
            "start": "earliest",
            "config": {"enable.auto.commit": False},
        }
    }
    stack.declared["producers"] = {name: {"principal": f"User:{name}", "topics": [good, taken]}}
    refused = stack.run("preview", fails=True)
    assert f"topic '{taken}' exists already and differs" in refused
    assert partitions_of(admin, name) == {taken: 5}

    said = stack.up(fails=True)
    assert f"topic '{taken}' exists already and differs" in said
    assert f"'{name}.reader' waits for topic '{taken}', which failed" in said
    assert partitions_of(admin, name) == {taken: 5, good: 1}
    assert views(stack) == {("Topic", good), ("Access", f"User:{name}")}

    stack.declared["topics"][taken]["partitions"] = 5
    stack.up()
    assert partitions_of(admin, name) == {taken: 5, good: 1}
    assert views(stack) == {
        ("Topic", good),
        ("Topic", taken),
        ("Access", f"User:{name}"),
        ("ConsumerGroup", f"{name}.reader"),
    }
    stack.up("--expect-no-changes")


def test_a_failed_update_keeps_the_other_items_and_is_completed(stack, admin, name):
    first, second = f"{name}.first", f"{name}.second"
    stack.declared["topics"] = {first: topic(), second: topic()}
    stack.up()
    admin.delete_topics([second])[second].result(20)
    for each in (first, second):
        stack.declared["topics"][each]["partitions"] = 2
    assert f"topic '{second}'" in stack.up(fails=True)
    assert partitions_of(admin, name) == {first: 2}
    assert views(stack) == {("Topic", first), ("Topic", second)}

    said = stack.up("--refresh")
    assert "HAS VANISHED" in said
    assert partitions_of(admin, name) == {first: 2, second: 2}
    stack.up("--expect-no-changes")


def test_drift_shows_in_a_refresh_and_the_next_run_corrects_it(stack, admin, name):
    changed, gone = f"{name}.changed", f"{name}.gone"
    stack.declared["topics"] = {changed: topic(), gone: topic()}
    stack.up()
    entry = ConfigEntry("min.insync.replicas", "1", incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.TOPIC, changed, incremental_configs=[entry])
    admin.incremental_alter_configs([resource])[resource].result(20)
    admin.delete_topics([gone])[gone].result(20)

    stack.up("--expect-no-changes")  # which compares with the state alone
    said = stack.run("refresh", "--yes", "--skip-preview", "--diff")
    assert '~ min.insync.replicas: "2" => "1"' in said
    assert "HAS VANISHED" in said
    assert views(stack) == {("Topic", changed)}
    stack.up()
    assert partitions_of(admin, name) == {changed: 1, gone: 1}
    assert views(stack) == {("Topic", changed), ("Topic", gone)}
    stack.run("refresh", "--yes", "--skip-preview", "--expect-no-changes")
    stack.up("--expect-no-changes")


def test_a_replacement_is_refused_and_deletes_nothing(stack, admin, name):
    orders = f"{name}.orders"
    stack.declared["topics"] = {orders: topic(deletion="force")}
    stack.up()
    before = in_state(stack)["Topic", orders]["outputs"]["topicId"]
    said = stack.up("--replace", f"urn:pulumi:dev::tried::{TOPOLOGY}::shop", fails=True)
    assert "is not replaced" in said
    assert partitions_of(admin, name) == {orders: 1}
    stack.up("--expect-no-changes")
    assert in_state(stack)["Topic", orders]["outputs"]["topicId"] == before


def test_our_program_refuses_a_replacement_in_the_preview_too(six, kafka, name):
    six.configure("resources", "one")
    six.up()
    before = things(kafka, name)
    replaced = ("--replace", f"urn:pulumi:dev::tried::{TOPOLOGY}::topology")
    assert "is not replaced" in six.run("preview", *replaced, fails=True)
    assert "is not replaced" in six.up(*replaced, fails=True)
    six.up("--expect-no-changes")
    assert things(kafka, name).same_as(before) == dict.fromkeys(KINDS, "as before")


@pytest.mark.parametrize("victim", ["plugin", "engine"])
def test_the_run_after_a_killed_one_completes(stack, admin, name, victim):
    names = {f"{name}.t{number:03}" for number in range(150)}
    stack.declared["topics"] = {each: topic(deletion="force") for each in sorted(names)}
    stack.configure("maxDeletes", str(len(names)))
    with stack.start("up", "--yes", "--skip-preview") as run:
        while not partitions_of(admin, name):
            assert run.poll() is None, run.stdout.read()
        (plugin,) = plugins_of(run.pid)
        os.kill(plugin if victim == "plugin" else run.pid, signal.SIGKILL)
        run.communicate(timeout=120)
        assert run.returncode != 0
    stack.run("cancel", "--yes", "dev")  # a killed engine leaves its lock
    stack.up()
    assert set(partitions_of(admin, name)) == names
    assert views(stack) == {("Topic", each) for each in names}
    stack.up("--expect-no-changes")
    stack.destroy()
    assert partitions_of(admin, name) == {}


def test_targets(stack, admin, name):
    first, second = f"{name}.first", f"{name}.second"
    stack.declared["topics"] = {first: topic(deletion="force")}
    stack.up("--target", f"urn:pulumi:dev::tried::{TOPOLOGY}::shop")
    assert partitions_of(admin, name) == {first: 1}
    stack.declared["topics"][second] = topic(deletion="force")
    stack.up("--target", "urn:pulumi:dev::tried::pulumi:pulumi:Stack::tried-dev")
    assert partitions_of(admin, name) == {first: 1}
    assert views(stack) == {("Topic", first)}
    stack.up("--target", f"urn:pulumi:dev::tried::{TOPOLOGY}::shop")
    assert partitions_of(admin, name) == {first: 1, second: 1}
    stack.up("--expect-no-changes")


def test_our_program_says_how_many_items_there_are(six):
    six.configure("resources", "one")
    six.up()
    assert json.loads(six.run("stack", "output", "--json"))["resources"] == dict.fromkeys(sorted(KINDS), 1)
