"""Whatever changes about a stack's resources, what Kafka has stays: by Kafka's own tools.

Each test fails if a change deletes, empties or forgets a thing that the program still declares. Together they make the
table in docs/promises.md.
"""

from __future__ import annotations

import json
from pathlib import Path
from uuid import uuid4

import pytest
from changing_stacks import KINDS, ProgramStack, Things, YamlStack, shared, things, use
from confluent_kafka.admin import AdminClient, NewTopic
from kafka_tools import acls_seen, run
from sharing import turn_sharing_on

from kafka_topology.local import LocalCluster

DOCS = Path(__file__).parents[3] / "docs" / "promises.md"
AS_BEFORE = dict.fromkeys(KINDS, "as before")
PROTECTED = {"topic": "a", "group": "a", "producers": ("a",), "deletion": "protected"}


@pytest.fixture
def name():
    return f"change-{uuid4().hex[:8]}"


@pytest.fixture
def program(kafka, tmp_path, name):
    stack = ProgramStack(tmp_path / "project", kafka, name)
    stack.up()
    use(kafka, name)
    return stack


def yaml_stack(kafka, tmp_path, name, **owners):
    stack = YamlStack(tmp_path / "project", kafka, name, **owners)
    stack.up()
    use(kafka, name)
    return stack


def kept(kafka, name, before, change=None):
    """What became of the six; with the change's name, it must be what the documentation says."""
    seen = things(kafka, name).same_as(before)
    if change is not None:
        assert documented(change) == seen, change
    return seen


def documented(change):
    """The row of this change in the table of docs/promises.md."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in DOCS.read_text().splitlines()]
    [row] = [cells for first, *cells in rows if first == change]
    return dict(zip(KINDS, row, strict=True))


OWNERS = {
    "an owner is added": {"topic": "a", "group": "a", "producers": ("a",)},
    "it moves to another owner": {"topic": "b", "group": "b", "producers": ("b",)},
    "another team uses the principal": {"topic": "b", "group": "b", "producers": ("a", "b")},
    "the owner is removed": {},
}


@pytest.mark.parametrize("deletion", ["force", "protected"])
def test_owners_come_and_go(kafka, tmp_path, name, deletion):
    stack = yaml_stack(kafka, tmp_path, name, deletion=deletion)
    seen = things(kafka, name)
    for change, owners in OWNERS.items():
        stack.write(**owners, deletion=deletion)
        stack.up()
        assert kept(kafka, name, seen, change) == AS_BEFORE, change
    stack.up("--expect-no-changes")
    stack.run("refresh", "--yes", "--skip-preview")
    assert kept(kafka, name, seen) == AS_BEFORE


def test_a_replacement_is_refused_in_the_preview_and_in_the_run(kafka, tmp_path, name):
    stack = yaml_stack(kafka, tmp_path, name)
    seen = things(kafka, name)
    for kind in KINDS:
        entry = {"Access": f"User:{name}", "Quota": f"user={name}", "ShareGroup": shared(name)}.get(kind, name)
        urn = f"urn:pulumi:dev::tried::kafka-topology:index:{kind}::{entry}"
        for shown in (stack.preview("--replace", urn, fails=True), stack.up("--replace", urn, fails=True)):
            assert "is not replaced" in " ".join(shown.split())
    assert kept(kafka, name, seen, "`--replace`, our program: refused in the preview") == AS_BEFORE
    stack.up("--expect-no-changes")


@pytest.mark.parametrize("first", [False, True], ids=["create first", "delete first"])
def test_a_replacement_in_a_program_deletes_nothing(kafka, program, name, first):
    seen = things(kafka, name)
    program.change(delete_before_replace=first)
    program.up()
    # The engine does not pass `--replace` on to a provider: the thing is taken over, and then not deleted.
    shown = program.run(
        "up", "--yes", "--skip-preview", *(w for urn in program.urns() for w in ("--replace", urn)), fails=first
    )
    assert ("is not replaced" if first else "stays on the cluster") in " ".join(shown.split())
    assert kept(kafka, name, seen, "`--replace`, a program of your own") == AS_BEFORE
    program.up()
    assert kept(kafka, name, seen) == AS_BEFORE

    program.change(replace_on_changes=["*"])
    program.resources[0]["inputs"]["config"] = {"retention.ms": "70000"}
    shown = program.preview(fails=True)
    assert "is not replaced" in " ".join(shown.split())
    program.up(fails=True)
    assert kept(kafka, name, seen, "`replace_on_changes`: refused in the preview") == AS_BEFORE


def test_a_logical_rename_without_an_alias(kafka, program, name):
    seen = things(kafka, name)
    program.change(name="renamed")
    assert "stays on the cluster" in " ".join(program.up().split())
    assert kept(kafka, name, seen, "a logical rename without an alias") == AS_BEFORE
    program.up("--expect-no-changes")


def test_another_parent_without_an_alias(kafka, program, name):
    seen = things(kafka, name)
    program.change(parent="folder")
    program.up()
    assert kept(kafka, name, seen, "another parent without an alias") == AS_BEFORE
    program.change(parent=None)
    program.up()
    assert kept(kafka, name, seen) == AS_BEFORE


def test_the_stack_is_renamed(kafka, tmp_path, name):
    stack = yaml_stack(kafka, tmp_path, name, **PROTECTED)
    seen = things(kafka, name)
    stack.run("stack", "rename", "production")
    stack.up("--expect-no-changes")
    assert kept(kafka, name, seen, "the stack is renamed") == AS_BEFORE


def test_the_project_is_renamed(kafka, tmp_path, name):
    stack = yaml_stack(kafka, tmp_path, name, **PROTECTED)
    seen = things(kafka, name)
    stack.run("stack", "rename", "organization/other/dev")
    project = stack.root / "Pulumi.yaml"
    project.write_text(project.read_text().replace("name: tried", "name: other"))
    settings = stack.root / "Pulumi.dev.yaml"
    settings.write_text(settings.read_text().replace("tried:", "other:"))
    stack.run("stack", "select", "dev")
    stack.up("--expect-no-changes")
    assert kept(kafka, name, seen, "the project is renamed") == AS_BEFORE


def test_a_stack_is_split_in_two(kafka, tmp_path, program, name):
    seen = things(kafka, name)
    other = ProgramStack(tmp_path / "other", kafka, name)
    other.environment |= {"PULUMI_BACKEND_URL": program.environment["PULUMI_BACKEND_URL"]}
    settings = other.root / "Pulumi.yaml"
    settings.write_text(settings.read_text().replace("name: tried", "name: other"))
    other.run("stack", "init", "dev")
    stacks = ("--source", "organization/tried/dev", "--dest", "organization/other/dev")
    other.run("config", "set", "kafka-topology:bootstrapServers", kafka.bootstrap_servers)
    other.run("config", "set", "--secret", "password", "a-password-of-the-tests")
    other.run("state", "move", "--yes", *stacks, *program.urns())
    program.resources, moved = [], program.resources
    program.up("--expect-no-changes")
    assert kept(kafka, name, seen) == AS_BEFORE
    other.resources = moved
    other.up()
    assert kept(kafka, name, seen, "a stack is split, by `pulumi state move`") == AS_BEFORE
    other.up("--expect-no-changes")


def test_it_is_imported_into_another_program(kafka, tmp_path, program, name):
    seen = things(kafka, name)
    other = ProgramStack(tmp_path / "other", kafka, name)
    ids = (name, name, f"User:{name}", name, f"user={name}", shared(name))
    resources = [
        {"type": f"kafka-topology:index:{kind}", "name": name, "id": one} for kind, one in zip(KINDS, ids, strict=True)
    ]
    (other.root / "import.json").write_text(json.dumps({"resources": resources}))
    other.run("import", "--yes", "--generate-code=false", "--protect=false", "--file", "import.json")
    other.up()
    assert kept(kafka, name, seen, "imported into another program") == AS_BEFORE
    other.up("--expect-no-changes")


def test_another_cluster_is_refused_until_it_is_named(kafka, tmp_path, program, name):
    seen = things(kafka, name)
    with LocalCluster(tmp_path / "second", brokers=3, delete_on_exit=True) as second:
        admin = AdminClient({"bootstrap.servers": second.bootstrap_servers})
        admin.create_topics([NewTopic(name, 2, 3)])[name].result(20)
        turn_sharing_on(second)
        program.configure("bootstrapServers", second.bootstrap_servers)
        for shown in (program.preview(fails=True), program.up(fails=True)):
            assert "this stack was applied to cluster" in " ".join(shown.split())
        assert kept(kafka, name, seen, "another cluster: refused in the preview") == AS_BEFORE
        cluster = run(second, "kafka-cluster", "cluster-id").split()[-1]
        program.configure("clusterId", "another")
        assert "clusterId is 'another'" in " ".join(program.preview(fails=True).split())
        program.configure("clusterId", cluster)
        program.up()
        nothing = Things(*[None] * len(KINDS))
        made = {kind: "made" for kind, seen in things(second, name).same_as(nothing).items() if seen == "changed"}
        assert made == documented("another cluster, named by `clusterId`: the new one")
        program.up("--expect-no-changes")
        assert kept(kafka, name, seen, "another cluster, named by `clusterId`: the first one") == AS_BEFORE


def test_a_removal_on_the_way_to_another_cluster_leaves_both_alone(kafka, tmp_path, program, name):
    seen = things(kafka, name)
    with LocalCluster(tmp_path / "second", brokers=3, delete_on_exit=True) as second:
        run(second, "kafka-acls", "--add", "--allow-principal", f"User:{name}", "--operation", "Write", "--topic", name)
        program.configure("bootstrapServers", second.bootstrap_servers)
        program.configure("clusterId", run(second, "kafka-cluster", "cluster-id").split()[-1])
        program.resources = program.resources[:1]
        assert "stays there" in " ".join(program.up().split())
        assert len(acls_seen(second, f"User:{name}")) == 1
    assert kept(kafka, name, seen) == AS_BEFORE


def test_a_resource_of_another_provider_is_refused_on_another_cluster(kafka, tmp_path, name):
    with LocalCluster(tmp_path / "second", brokers=3, delete_on_exit=True) as second:
        stack = ProgramStack(tmp_path / "project", kafka, name)
        stack.providers = {
            "one": {"bootstrap_servers": kafka.bootstrap_servers},
            "two": {"bootstrap_servers": second.bootstrap_servers},
        }
        stack.change(provider="one")
        stack.up()
        use(kafka, name)
        seen = things(kafka, name)
        stack.change(provider="two")
        assert "belong to cluster" in " ".join(stack.preview(fails=True).split())
        stack.up(fails=True)
        assert kept(kafka, name, seen) == AS_BEFORE


def test_what_an_interrupted_replacement_left_behind_is_cleared_away(kafka, program, name):
    """A run that was killed between the two halves leaves the first entry to be deleted, and every later run asks."""
    seen = things(kafka, name)
    state = json.loads(program.run("stack", "export"))
    resources = state["deployment"]["resources"]
    state["deployment"]["resources"] += [{**r, "delete": True} for r in resources if r["urn"] in program.urns()]
    (program.root / "state.json").write_text(json.dumps(state))
    program.run("stack", "import", "--file", "state.json")
    program.resources[0]["inputs"]["config"] = {"retention.ms": "70000"}  # one that changes, four that do not
    program.up()
    exported = json.loads(program.run("stack", "export"))["deployment"]["resources"]
    assert not [resource for resource in exported if resource.get("delete")]
    assert kept(kafka, name, seen) == AS_BEFORE | {"Topic": "changed"}  # its retention
    assert things(kafka, name).topic[1] == seen.topic[1]  # not its records
    program.up("--expect-no-changes")


def _access(name, logical, *operations, after=()):
    rule = {"resource": "topic", "name": name, "operations": [*operations]}
    return {"kind": "Access", "name": logical, "inputs": {"principal": f"User:{name}", "rules": [rule]}, "after": after}


def test_access_that_moves_to_another_resource_is_never_interrupted(kafka, tmp_path, name):
    stack = ProgramStack(tmp_path / "project", kafka, name)
    stack.resources = [_access(name, "one", "Read", "Write"), _access(name, "two", "Describe")]
    stack.up()
    before = acls_seen(kafka, f"User:{name}")
    assert len(before) == 3
    # The one that gives it up is the first: nobody knows yet that the second wants it.
    stack.resources = [_access(name, "one", "Read"), _access(name, "two", "Describe", "Write", after=["one"])]
    shown = " ".join(stack.preview(fails=True).split())
    assert f"Access 'one' would remove allow Write on topic '{name}' before this resource adds it" in shown
    assert "Let Access 'one' depend on this resource" in shown
    shown = " ".join(stack.up().split())  # without a preview
    assert "it was missing for a moment" in shown
    assert acls_seen(kafka, f"User:{name}") == before
    # The right way round, and back again.
    stack.resources = [_access(name, "one", "Read", "Write"), _access(name, "two", "Describe", after=["one"])]
    stack.preview()
    assert "missing for a moment" not in " ".join(stack.up().split())
    assert acls_seen(kafka, f"User:{name}") == before


def test_one_thing_has_one_resource(program, name):
    for at in range(5):
        again = {**program.resources[at], "name": f"again-{at}"}
        program.resources.append(again)
        assert "undo each other's changes" in " ".join(program.preview(fails=True).split())
        program.resources.pop()
    assert name


def test_a_rename_together_with_another_provider_of_the_same_cluster(kafka, tmp_path, name):
    """The two providers are two processes, and the one that is asked to delete has adopted nothing."""
    stack = ProgramStack(tmp_path / "project", kafka, name)
    stack.providers = {provider: {"bootstrap_servers": kafka.bootstrap_servers} for provider in ("one", "two")}
    stack.change(provider="one")
    stack.up()
    use(kafka, name)
    seen = things(kafka, name)
    again = {**stack.resources[2], "provider": "two", "name": "again"}
    stack.resources.append(again)
    assert "is also declared by a resource of another provider" in " ".join(stack.preview(fails=True).split())
    stack.resources.pop()
    stack.change(provider="two", name="renamed")
    stack.run("up", "--yes")  # with a preview, whose plugins have declared the same things a moment before
    assert kept(kafka, name, seen) == AS_BEFORE
    stack.up("--expect-no-changes")


def test_a_topic_that_vanished_is_made_again_by_a_run_that_looks_and_says_so(kafka, tmp_path, name):
    stack = yaml_stack(kafka, tmp_path, name, **PROTECTED)
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    admin.delete_topics([name])[name].result(20)
    shown = " ".join(stack.up("--refresh").split())
    assert "VANISHED" in shown
    assert name in admin.list_topics(timeout=20).topics
