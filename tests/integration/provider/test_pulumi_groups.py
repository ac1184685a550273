"""Consumer groups under the real engine: with their topics in one `up`, and nothing to do in the next."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

from committed import committed
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from pulumi_project import GROUP, PulumiProject

PROGRAM = Path(__file__).parents[3] / "program" / "__main__.py"
TOPOLOGY = """\
version: 1
topics: {{{name}: {{partitions: 1, replication: 3, config: {{min.insync.replicas: 2}}}}}}
consumerGroups:
  {name}: {{topics: [{name}], start: earliest, config: {{enable.auto.commit: false}}{reset}}}
"""


def offset(kafka, name):
    return committed(kafka, name, name, 1)[0]


def commit(admin, name, number):
    wanted = [ConsumerGroupTopicPartitions(name, [TopicPartition(name, 0, number)])]
    admin.alter_consumer_group_offsets(wanted)[name].result(20)


def test_a_group_from_the_up_that_makes_its_topic_to_a_permitted_destroy(kafka, admin, tmp_path):
    name = f"engine-{uuid4().hex[:8]}"
    project = PulumiProject(tmp_path / "project", kafka.bootstrap_servers)
    project.topics = {name: {"partitions": 1, "replication": 1, "deletion": "allowed"}}
    group = {"topics": [name], "start": "earliest", "config": {"consumer.session.timeout.ms": "50000"}}
    project.groups = {name: group}
    project.preview()
    project.up()
    assert offset(kafka, name) == 0
    project.up("--expect-no-changes")
    project.run("refresh", "--yes", "--skip-preview", "--expect-no-changes")
    project.run("refresh", "--yes", "--skip-preview")
    project.up("--expect-no-changes")

    project.forget(name, kind=GROUP)
    project.bring_in(name, kind=GROUP)
    assert "consumer.session.timeout.ms" in project.run("stack", "export")
    project.preview("--expect-no-changes")

    commit(admin, name, 7)
    project.groups[name] = {**group, "reset": {"to": "latest", "token": "INC-7"}}
    assert "are moved to latest" in project.preview()
    project.up()
    assert offset(kafka, name) == 0

    assert f"group '{name}' is protected" in project.destroy(fails=True)
    project.groups[name] = {**project.groups[name], "deletion": "allowed"}
    project.up()
    project.destroy()
    assert offset(kafka, name) is None


def test_a_topology_moves_the_offsets_once_for_each_ticket(kafka, admin, tmp_path):
    name = f"engine-{uuid4().hex[:8]}"
    project = PulumiProject(tmp_path / "project", kafka.bootstrap_servers, PROGRAM.read_text())
    (project.root / "topology").mkdir()
    file = project.root / "topology" / "topology.yaml"
    file.write_text(TOPOLOGY.format(name=name, reset=""))
    project.up()
    commit(admin, name, 7)
    project.up("--expect-no-changes")
    assert offset(kafka, name) == 7

    file.write_text(TOPOLOGY.format(name=name, reset=", reset: {to: earliest, ticket: INC-7}"))
    assert "are moved to earliest" in project.preview()
    project.up()
    assert offset(kafka, name) == 0
    commit(admin, name, 5)
    project.up("--expect-no-changes")
    assert offset(kafka, name) == 5
