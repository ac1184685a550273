"""Reviews on a real cluster: what it knows, what the real Pulumi would do, and a new repository up to `pulumi up`."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest
from click.testing import CliRunner, Result
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, NewTopic, ResourceType
from delivering import SureProducer
from pulumi_project import find_pulumi

from kafka_topology.cli.main import main


def git(folder: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *arguments]
    subprocess.run(command, cwd=folder, capture_output=True, check=True)


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def prefix() -> str:
    return f"review-{uuid4().hex[:8]}."


@pytest.fixture
def project(tmp_path, monkeypatch, kafka) -> Path:
    """A repository as `init` writes it, with the local backend, and this Python's packages as its `.venv`."""
    root = tmp_path / "project"
    assert run("init", str(root)).exit_code == 0
    (root / ".venv").symlink_to(sys.prefix)
    for name, value in {
        "PATH": os.pathsep.join([str(root / ".venv" / "bin"), str(find_pulumi().parent), os.environ["PATH"]]),
        "PULUMI_BACKEND_URL": f"file://{tmp_path}",
        "PULUMI_HOME": str(tmp_path / "home"),
        "PULUMI_CONFIG_PASSPHRASE": "local",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_DISABLE_REGISTRY_RESOLVE": "true",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(root)
    return root


def sh(*arguments: str) -> str:
    done = subprocess.run(arguments, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=180, check=False)
    assert done.returncode == 0, f"{arguments} → {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def reviewed(*arguments: str) -> dict:
    result = run(*arguments)
    assert result.stdout, result.output
    return json.loads(result.stdout)


def own_names(project: Path, prefix: str) -> None:
    """The cluster is shared by all tests, so names are changed to some of our own."""
    for file in (project / "topology").glob("*.yaml"):
        file.write_text(file.read_text().replace("shop.", prefix))


def test_the_readme_of_init_leads_to_pulumi_up(project, kafka, admin, prefix):
    own_names(project, prefix)
    readme = (project / "README.md").read_text()
    steps = readme.split("```console\n")[1].split("```")[0].strip().splitlines()
    ran = []
    for step in steps:
        # The packages are here already, the brokers run, and the state belongs into the test's own folder.
        if "venv" in step or step.startswith(("kafka-topology local", "pulumi login")):
            continue
        ran.append(step)
        sh(*shlex.split(step), *(("--yes", "--skip-preview", "--non-interactive") if step == "pulumi up" else ()))
        if step.startswith("pulumi stack init"):
            sh("pulumi", "config", "set", "kafka-topology:bootstrapServers", kafka.bootstrap_servers)
    assert ran == ["kafka-topology validate topology", "pulumi stack init dev", "pulumi up"]
    assert len(admin.list_topics(timeout=10).topics[f"{prefix}orders"].partitions) == 6
    sh("pulumi", "up", "--yes", "--skip-preview", "--non-interactive", "--expect-no-changes")
    sh("pulumi", "destroy", "--yes", "--skip-preview", "--non-interactive")


def test_a_real_preview_shows_drift_in_both_directions(project, kafka, admin, prefix):
    own_names(project, prefix)
    topic = f"{prefix}orders"
    sh("pulumi", "stack", "init", "dev")
    sh("pulumi", "config", "set", "kafka-topology:bootstrapServers", kafka.bootstrap_servers)
    sh("pulumi", "up", "--yes", "--skip-preview", "--non-interactive")
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "applied")
    review = ("review", "topology", "--base", "HEAD", "--env", "dev", "--format", "json", "--preview", "preview.json")

    orders = project / "topology" / "orders.yaml"
    orders.write_text(orders.read_text().replace("partitions: 6", "partitions: 12"))
    (project / "preview.json").write_text(sh("pulumi", "preview", "--json", "--non-interactive"))
    told = reviewed(*review)
    assert [change["path"] for change in told["changes"]] == ["partitions"]
    assert told["drift"] == []

    # Somebody changes a setting by hand: Pulumi would put it back, and the files do not say so.
    entry = ConfigEntry("retention.ms", "1000", incremental_operation=AlterConfigOpType.SET)
    changed = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
    admin.incremental_alter_configs([changed])[changed].result(10)
    (project / "preview.json").write_text(sh("pulumi", "preview", "--refresh", "--json", "--non-interactive"))
    (found,) = reviewed(*review)["drift"]
    assert (found["only"], found["kind"], found["name"]) == ("pulumi", "topic", topic)
    assert "config.retention.ms: 1s → 7d" in found["message"]

    # A change that is on the cluster already: the files have it, and Pulumi has nothing to do.
    git(project, "commit", "-qam", "twelve")
    orders.write_text(orders.read_text().replace("partitions: 12", "partitions: 24"))
    sh("pulumi", "up", "--yes", "--skip-preview", "--non-interactive", "--refresh")
    (project / "preview.json").write_text(sh("pulumi", "preview", "--json", "--non-interactive"))
    (found,) = reviewed(*review)["drift"]
    assert (found["only"], found["message"]) == ("files", "partitions: 12 → 24: Pulumi would not change it")
    sh("pulumi", "destroy", "--yes", "--skip-preview", "--non-interactive")


def test_live_sizes_lag_and_readers_are_shown(tmp_path, monkeypatch, kafka, admin, prefix):
    topic, group = f"{prefix}orders", f"{prefix}billing"
    admin.create_topics([NewTopic(topic, 3, 3)])[topic].result(10)
    producer = SureProducer({"bootstrap.servers": kafka.bootstrap_servers})
    for number in range(1000):
        producer.produce(topic, key=str(number), value=b"x")
    producer.flush(20)
    consumer = Consumer(
        {
            "bootstrap.servers": kafka.bootstrap_servers,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
        }
    )
    consumer.subscribe([topic])
    read = 0
    while read < 1000:
        read += len(consumer.consume(1000 - read, timeout=20))
    done = [TopicPartition(topic, number, 100) for number in range(3)]
    consumer.commit(offsets=done, asynchronous=False)

    written = f"""\
version: 1
cluster: {{brokers: 3}}
topics:
  {topic}: {{partitions: 3, replication: 3, retention: 7d, throughput: {{average: 1KB/s, recordSize: 1KiB}}}}
consumerGroups:
  {group}: {{topics: [{topic}]}}
"""
    (tmp_path / "t.yaml").write_text(written)
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "before")
    (tmp_path / "t.yaml").write_text(written.replace("retention: 7d", "retention: 1d"))
    live = ("--live", "--bootstrap", kafka.bootstrap_servers)
    result = run("review", "t.yaml", "--base", "HEAD", "--format", "json", *live)
    told = json.loads(result.stdout)
    assert told["couldNotCheck"] == []
    (change,) = told["changes"]
    effects = " ".join(effect["text"] for effect in change["effects"])
    # A thousand records of a few bytes: what the brokers hold, not what the declared record size would give.
    assert re.search(r"of [0-9.]+ kB \(live\)", effects, re.IGNORECASE), effects
    assert f"group {group} is 700 records behind now" in effects
    assert told["whatIf"][0]["source"] == "live placement"

    (tmp_path / "t.yaml").write_text(
        "version: 1\ncluster: {brokers: 3}\ntopics: {other: {partitions: 3, replication: 3}}\n"
    )
    gone = run("review", "t.yaml", "--base", "HEAD", *live).stdout
    assert f"{group} reads it now" in gone
    assert f"1 member of {group} is reading now" in gone
    consumer.close()

    (tmp_path / "t.yaml").write_text(written)
    found = json.loads(run("what-if", "t.yaml", "--lose-broker", "2", "--format", "json", *live).stdout)
    assert found["source"] == "live placement"
    assert [(loss["state"], loss["copiesLeft"]) for loss in found["topics"] if loss["topic"] == topic] == [
        ("fewer copies", 2)
    ]
    admin.delete_topics([topic])[topic].result(10)
