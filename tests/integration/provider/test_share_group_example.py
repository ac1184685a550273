"""The example with share groups on real brokers: applied as it is, read by workers, and audited."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from confluent_kafka.admin import AdminClient
from kafka_tools import acls_seen
from pulumi_project import PulumiProject
from sharing import (
    CAN_SET_OFFSETS,
    config_seen,
    produce,
    share_consumer,
    start_offsets_seen,
    turn_sharing_on,
    wait_until_empty,
)

from kafka_topology.cli.main import main
from kafka_topology.local import LocalCluster

ROOT = Path(__file__).parents[3]
GROUP, TOPIC, PRINCIPAL = "parcel.printers", "parcel.labels", "User:parcel-printers"


@pytest.fixture(scope="module")
def kafka(tmp_path_factory):
    """Three brokers, as the example declares."""
    with LocalCluster(tmp_path_factory.mktemp("parcels") / "kafka", brokers=3, delete_on_exit=True) as cluster:
        turn_sharing_on(cluster)
        yield cluster


@pytest.fixture
def project(kafka, tmp_path):
    project = PulumiProject(tmp_path / "project", kafka.bootstrap_servers, (ROOT / "program/__main__.py").read_text())
    shutil.copytree(ROOT / "examples" / "share-groups", project.root / "topology")
    return project


def audited(kafka, file):
    arguments = ["audit", str(file), "--bootstrap", kafka.bootstrap_servers, "--format", "json"]
    document = json.loads(CliRunner().invoke(main, arguments).stdout)
    assert document["couldNotCheck"] == [], document
    found = {each["rule"]: each["message"] for each in document["findings"] if each["resource"] == GROUP}
    return found, {each["group"]: (each["lag"], each["maxLag"]) for each in document["live"]["groups"]}


def test_the_example_is_applied_and_its_lag_is_audited(kafka, project):
    file = project.root / "topology" / "topology.yaml"
    declared = yaml.safe_load(file.read_text())
    group = declared["shareGroups"][GROUP]
    group.update(members=1, maxLag=2)
    if not CAN_SET_OFFSETS:  # Kafka 4.1 does not set start offsets
        declared["cluster"]["kafka"] = "4.1"
        del group["start"]
    file.write_text(yaml.safe_dump(declared))
    project.up()
    project.up("--expect-no-changes")
    wanted = {"share.auto.offset.reset": "earliest", "share.record.lock.duration.ms": "45000"}
    assert config_seen(AdminClient({"bootstrap.servers": kafka.bootstrap_servers}), GROUP) == wanted
    assert acls_seen(kafka, PRINCIPAL)
    if CAN_SET_OFFSETS:
        assert start_offsets_seen(kafka, GROUP) == {0: 0, 1: 0, 2: 0}

    produce(kafka, TOPIC, 1, partitions=3)
    with share_consumer(kafka, GROUP, TOPIC) as worker:
        assert len(worker.received(3)) == 3
        assert "KTA312" not in audited(kafka, file)[0]
    wait_until_empty(kafka, GROUP)
    produce(kafka, TOPIC, 1, partitions=3, first=1)
    found, lags = audited(kafka, file)
    lag, allowed = lags[GROUP]
    assert (lag >= 3, allowed) == (True, 2)
    message = rf"{re.escape(GROUP)} is {lag} records behind, the oldest \S.* old; expected at most 2"
    assert re.fullmatch(message, found["KTA317"])
    assert f"{lag} records wait for it" in found["KTA312"]
