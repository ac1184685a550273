"""Share groups under the real engine: applied, changed, drifted, audited, imported, and only deleted when permitted."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import uuid4

import pytest
from click.testing import CliRunner
from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType
from pulumi_project import PulumiProject
from sharing import VERSION, config_seen, groups_of, produce, share_consumer, sharing_cluster, wait_until_empty

from kafka_topology.cli.main import main

PROGRAM = (Path(__file__).parents[3] / "program" / "__main__.py").read_text()
KAFKA = ".".join(map(str, VERSION))
TOPOLOGY = """\
version: 1
cluster: {{kafka: "{kafka}", brokers: 1, defaults: {{default.replication.factor: 1, min.insync.replicas: 1}}}}
ownership: {{topics: [{name}], groups: [{name}], principals: ["User:{name}"]}}
topics:
  {name}.jobs: {{partitions: 2, replication: 1, deletion: force}}
shareGroups:
  {name}.workers:
    principal: "User:{name}"
    topics: [{name}.jobs]
    members: 1
    deletion: {deletion}
    groupConfig: {{share.auto.offset.reset: earliest, share.session.timeout.ms: {session}}}
rules: {{KT103: {{severity: off}}, KT551: {{severity: off}}, KT520: {{severity: off}}}}
"""


@pytest.fixture(scope="module")
def kafka(tmp_path_factory):
    with sharing_cluster(tmp_path_factory.mktemp("sharing") / "kafka") as cluster:
        yield cluster


def run(*arguments):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def audited(kafka, file):
    result = run("audit", file, "--bootstrap", kafka.bootstrap_servers, "--format", "json")
    document = json.loads(result.stdout)
    assert document["couldNotCheck"] == [], document
    return {finding["rule"] for finding in document["findings"]}


def test_a_share_group_from_the_first_up_to_a_permitted_destroy(kafka, admin, tmp_path):
    name = f"pack{uuid4().hex[:6]}"
    group = f"{name}.workers"
    project = PulumiProject(tmp_path / "project", kafka.bootstrap_servers, PROGRAM)
    (project.root / "topology").mkdir()
    file = project.root / "topology" / "topology.yaml"

    def write(session="50s", deletion="protected"):
        file.write_text(TOPOLOGY.format(name=name, kafka=KAFKA, session=session, deletion=deletion))

    write()
    project.up()
    wanted = {"share.auto.offset.reset": "earliest", "share.session.timeout.ms": "50000"}
    assert config_seen(admin, group) == wanted
    project.up("--expect-no-changes")
    assert audited(kafka, file) == {"KTA311"}  # advice: nobody has joined yet

    produce(kafka, f"{name}.jobs", 2)
    with share_consumer(kafka, group, f"{name}.jobs") as member:
        assert len(member.received(4)) == 4
        assert audited(kafka, file) == set()
        assert "ShareGroup" in project.run("stack", "export")
        project.run("refresh", "--yes", "--skip-preview")
        project.up("--expect-no-changes")

        entry = ConfigEntry("share.session.timeout.ms", "46000", incremental_operation=AlterConfigOpType.SET)
        resource = ConfigResource(ResourceType.GROUP, group, incremental_configs=[entry])
        next(iter(admin.incremental_alter_configs([resource]).values())).result(20)
        assert audited(kafka, file) == {"KTA314"}
        project.run("refresh", "--yes", "--skip-preview")
        project.up()
        assert config_seen(admin, group) == wanted
        write(session="55s")
        project.up()
        assert config_seen(admin, group) == {**wanted, "share.session.timeout.ms": "55000"}

        written = tmp_path / "written"
        result = run(
            "import", "--bootstrap", kafka.bootstrap_servers, "--output", written, "--project", "tried",
            "--groups", name, "--topics", name, "--principals", f"User:{name}",
        )  # fmt: skip
        assert result.exit_code == 0, result.output
        assert f"{group}:" in (written / "groups.yaml").read_text()

        write(session="55s", deletion="allowed")
        project.up()
        assert "has 1 members" in project.destroy(fails=True)
    wait_until_empty(kafka, group)
    assert group in groups_of(kafka)
    project.destroy()
    assert group not in groups_of(kafka)
    assert config_seen(admin, group) == {}
