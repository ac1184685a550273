"""What a version of this product left behind, recorded once: later versions must read it and see no change.

`python tests/support/upgrades.py FOLDER` records the version at hand, on a secured local broker; see docs/releasing.md.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pulumi_project import SINGLE_REPLICAS, PulumiProject
from sharing import turn_sharing_on

from kafka_topology.local import LocalCluster

NAME = "upgraded"
# One resource of each kind, with every input that has a default left out or in.
PROGRAM = f"""\
import pulumi
from kafka_topology import sdk

topic = sdk.Topic("{NAME}", partitions=2, replication=1, deletion="allowed", config={{"retention.ms": "60000"}})
after = pulumi.ResourceOptions(depends_on=[topic])
sdk.ConsumerGroup("{NAME}", topics=[topic.name], start="earliest", deletion="allowed",
                  config={{"consumer.session.timeout.ms": "50000"}}, opts=after)
sdk.ShareGroup("{NAME}-shared", topics=[topic.name], deletion="allowed",
               config={{"share.session.timeout.ms": "49000"}}, opts=after)
sdk.Access("User:{NAME}", rules=[sdk.AccessRuleArgs(resource="topic", name="{NAME}", operations=["Read", "Write"])])
sdk.User("{NAME}", mechanism="SCRAM-SHA-512", iterations=4096, password=pulumi.Output.secret("made-for-the-test"))
sdk.Quota("{NAME}", user="{NAME}", producer_byte_rate=1000)
"""
# The same in one resource, with a view for each item.
ONE = f"""\
import pulumi
from kafka_topology import sdk

sdk.Topology("{NAME}", path="topology.yaml", opts=pulumi.ResourceOptions(delete_before_replace=True))
"""
ITEMS = f"""\
version: 1
rules: {{KT103: {{severity: "off"}}}}
topics:
  {NAME}-one: {{partitions: 2, replication: 1, deletion: allowed, config: {{retention.ms: 60000}}}}
consumerGroups:
  {NAME}-one:
    principal: User:{NAME}-one
    topics: [{NAME}-one]
    start: earliest
    deletion: allowed
    config: {{enable.auto.commit: false}}
quotas:
  - {{user: {NAME}-one, producerByteRate: 1MB/s}}
"""
FILE = "topology.yaml"
TOPOLOGY = f"""\
version: 1
topics:
  {NAME}: {{partitions: 2, replication: 1, key: {{type: string}}, retention: 1m}}
consumerGroups:
  {NAME}: {{topics: [{NAME}], start: earliest}}
"""


def project_on(kafka: LocalCluster, folder: Path) -> PulumiProject:
    turn_sharing_on(kafka)
    return PulumiProject(folder, kafka.bootstrap_servers, PROGRAM, SINGLE_REPLICAS)


def one_project_on(kafka: LocalCluster, folder: Path) -> PulumiProject:
    project = PulumiProject(folder, kafka.bootstrap_servers, ONE)
    (folder / FILE).write_text(ITEMS)
    return project


def ids_of(state: Mapping[str, Any]) -> dict[str, str]:
    """What a cluster chose itself, by the kind of the id."""
    found: dict[str, str] = {}
    for resource in state["deployment"]["resources"]:
        for name in ("clusterId", "topicId"):
            if isinstance(resource.get("outputs", {}).get(name), str):
                found[name] = resource["outputs"][name]
    return found


def command(folder: Path, *arguments: str, codes: tuple[int, ...] = (0, 1)) -> str:
    """Run in the folder, so no path of this machine is in what it prints."""
    run = [str(Path(sys.executable).with_name("kafka-topology")), *arguments]
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in codes, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout


def record(folder: Path) -> None:
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        with LocalCluster(work / "kafka", secure=True, delete_on_exit=True) as kafka:
            project = project_on(kafka, work / "project")
            project.up()
            project.run("stack", "export", "--file", str(work / "state.json"))
            (folder / "state.json").write_text(_tidy(work / "state.json"))
            record_one(kafka, work, folder)
            (folder / FILE).write_text(TOPOLOGY)
            at = ("--bootstrap", kafka.bootstrap_servers)
            command(folder, "validate", FILE, "--baseline", "baseline.json", "--update-baseline")
            for name, asked in (
                ("findings.json", ("validate", FILE)),
                ("audit.json", ("audit", FILE, *at)),
                ("checks.json", ("check", FILE, *at, "--incremental", "checked.json")),
            ):
                (folder / name).write_text(command(folder, *asked, "--format", "json", codes=(0, 1, 3)))
            (folder / ".checked.json.lock").unlink()


def record_one(kafka: LocalCluster, work: Path, folder: Path) -> None:
    project = one_project_on(kafka, work / "one")
    project.up()
    project.run("stack", "export", "--file", str(work / "one.json"))
    (folder / "topology-state.json").write_text(_tidy(work / "one.json"))


def _tidy(file: Path) -> str:
    """Without the places of the program on this machine."""
    state = json.loads(file.read_text())
    for resource in state["deployment"]["resources"]:
        for name in ("sourcePosition", "stackTrace"):
            resource.pop(name, None)
    return json.dumps(state, indent=2) + "\n"


if __name__ == "__main__":
    record(Path(sys.argv[1]))
