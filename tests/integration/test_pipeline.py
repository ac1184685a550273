"""The shell of the pipeline on the real engine and brokers: a merge that breaks at each step, and one that works."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest
from gitted import git
from kafka_tools import run
from pulumi_project import TOPIC, PulumiProject, find_pulumi
from troubles import configure

SCRIPT = Path(__file__).parents[2] / "action" / "pipeline.sh"
PROGRAM = "from kafka_topology.program.deploy import deploy\n\ndeploy()\n"
TOPOLOGY = """\
version: 1
cluster: {{kafka: "4.1", brokers: 3}}
ownership: {{topics: [{name}]}}
topics:
  {name}.orders:
    owner: checkout
    partitions: {partitions}
    replication: 3
    config: {{min.insync.replicas: 2, retention.ms: 1d}}
"""


class Pipeline:
    def __init__(self, root, kafka):
        self.name = f"pipe-{uuid4().hex[:8]}"
        self.project = PulumiProject(root / "project", kafka.bootstrap_servers, program=PROGRAM)
        self.root, self.summary = root, root / "summary.md"
        self.declare(1)
        (self.project.root / ".gitignore").write_text("state/\nhome/\n")
        git(self.project.root, "init", "--quiet", "--initial-branch", "main")
        self.commit()
        git(self.project.root, "remote", "add", "origin", str(self.project.root))

    def declare(self, partitions):
        (self.project.root / "topology").mkdir(exist_ok=True)
        file = self.project.root / "topology" / "t.yaml"
        file.write_text(TOPOLOGY.format(name=self.name, partitions=partitions))

    def commit(self):
        git(self.project.root, "add", "-A")
        git(self.project.root, "commit", "--quiet", "--allow-empty", "--message", "change")

    def run(self, step, **variables):
        environment = {
            **self.project.environment,
            "STACK": "dev",
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "WAIT": "5s",
        }
        return subprocess.run(
            ["bash", str(SCRIPT), step],
            cwd=self.project.root,
            env={**environment, **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )


@pytest.fixture
def pipeline(tmp_path, kafka):
    return Pipeline(tmp_path, kafka)


def partitions(kafka, topic):
    listed = run(kafka, "kafka-topics", "--describe", "--topic", topic)
    return listed.partition("PartitionCount: ")[2].partition("\t")[0].strip()


def test_a_merge_deploys_what_was_approved_and_nothing_else(pipeline, kafka, tmp_path):  # noqa: PLR0915 - one story
    topic, plan, output = f"{pipeline.name}.orders", str(tmp_path / "plan"), tmp_path / "output"
    done = pipeline.run("plan", PLAN=plan, GITHUB_OUTPUT=str(output), GITHUB_ACTIONS="true")
    assert done.returncode == 0, done.stdout + done.stderr
    assert output.read_text() == "changes=1\n"
    assert done.stdout.startswith("::stop-commands::")
    assert "preflight: Yes" in pipeline.summary.read_text()

    # A folder that is there already may be from the change.
    done = pipeline.run("plan", PLAN=plan)
    assert (done.returncode, "must be new" in done.stderr) == (2, True)
    # Another commit, or a branch that moved.
    planned = git(pipeline.project.root, "rev-parse", "HEAD").strip()
    pipeline.declare(2)
    pipeline.commit()
    done = pipeline.run("apply", PLAN=plan)
    assert (done.returncode, f"the plan was made from commit {planned}" in done.stderr) == (1, True)
    git(pipeline.project.root, "checkout", "--quiet", "--detach", planned)
    done = pipeline.run("apply", PLAN=plan, BRANCH="main", DEPLOYS="README.md\ntopology\n")
    assert (done.returncode, "main moved to" in done.stderr) == (1, True), done.stderr
    done = pipeline.run("apply", PLAN=plan, BRANCH="nothing")
    assert (done.returncode, "could not check whether nothing moved" in done.stderr) == (3, True)
    assert topic not in run(kafka, "kafka-topics", "--list")

    # Pulumi fails: the message says what to do, and the next run completes it.
    broken = tmp_path / "broken"
    broken.mkdir()
    real = f"{os.pathsep}{pipeline.project.environment['PATH']}"
    (broken / "pulumi").write_text(
        '#!/bin/bash\nif [ "$1" = up ]; then exit 255; fi\nPATH="${PATH#*:}"\nexec pulumi "$@"\n'
    )
    (broken / "pulumi").chmod(0o755)
    done = pipeline.run("apply", PLAN=plan, PATH=f"{broken}{real}")
    assert (done.returncode, "run the pipeline again from its plan" in done.stderr) == (1, True), done.stderr

    # The branch moved by what is not deployed.
    git(pipeline.project.root, "branch", "--force", "main", planned)
    git(pipeline.project.root, "checkout", "--quiet", "main")
    (pipeline.project.root / "README.md").write_text("Read me.\n")
    pipeline.commit()
    git(pipeline.project.root, "checkout", "--quiet", "--detach", planned)
    done = pipeline.run("apply", PLAN=plan, BRANCH="main")
    assert (done.returncode, "main moved to" in done.stderr) == (1, True), done.stderr
    done = pipeline.run("apply", PLAN=plan, BRANCH="main", DEPLOYS="topology\nPulumi.*\n")
    assert done.returncode == 0, done.stdout + done.stderr
    assert partitions(kafka, topic) == "1"
    # The plan was applied; it is no longer what would be approved.
    done = pipeline.run("apply", PLAN=plan)
    assert (done.returncode, "the stack was deployed again since the plan was made" in done.stdout) == (1, True)

    out = tmp_path / "out"
    done = pipeline.run("verify", OUT=str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads((out / "audit.json").read_text())["findings"] == []
    assert "<html" in (out / "report.html").read_text()[:500]

    # An operator changes the cluster between the plan and the approval.
    pipeline.declare(2)
    pipeline.commit()
    second = str(tmp_path / "second")
    assert pipeline.run("plan", PLAN=second).returncode == 0
    configure(kafka, "topics", topic, add="retention.ms=3600000")
    done = pipeline.run("apply", PLAN=second)
    assert (done.returncode, "something changed since the plan" in done.stderr) == (1, True), done.stderr
    assert "KTP301" in done.stdout
    assert partitions(kafka, topic) == "1"
    done = pipeline.run("nightly", OUT=str(tmp_path / "night"))
    assert done.returncode == 1
    assert "KTA104" in (tmp_path / "night" / "issue.txt").read_text()


TAKES = """\
#!{python}
import os, sys
from confluent_kafka.admin import AdminClient, NewTopic
if sys.argv[1] == "up":
    admin = AdminClient({{"bootstrap.servers": {servers!r}}})
    admin.create_topics([NewTopic({topic!r}, 5, 1)])[{topic!r}].result(30)
os.execv({pulumi!r}, ["pulumi", *sys.argv[1:]])
"""


def test_an_up_that_fails_half_way_is_completed_by_the_next_run(pipeline, kafka, tmp_path):
    """Between preflight and `pulumi up` somebody creates one of two new topics: the other is made, this one refused."""
    made, taken = f"{pipeline.name}.orders", f"{pipeline.name}.taken"
    file = pipeline.project.root / "topology" / "t.yaml"
    file.write_text(file.read_text() + file.read_text().partition("topics:\n")[2].replace(made, taken))
    pipeline.commit()
    first = str(tmp_path / "first")
    assert pipeline.run("plan", PLAN=first).returncode == 0
    tools = tmp_path / "tools"
    tools.mkdir()
    real = find_pulumi()
    text = TAKES.format(python=sys.executable, servers=kafka.bootstrap_servers, topic=taken, pulumi=str(real))
    (tools / "pulumi").write_text(text)
    (tools / "pulumi").chmod(0o755)
    path = f"{tools}{os.pathsep}{pipeline.project.environment['PATH']}"
    done = pipeline.run("apply", PLAN=first, PATH=path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "What it finished is in the state of the stack" in done.stderr
    assert f"topic '{taken}'" in " ".join(done.stdout.split())
    # What it could do is done, and what it could not is as somebody made it.
    assert (partitions(kafka, made), partitions(kafka, taken)) == ("1", "5")
    state = json.loads(pipeline.project.run("stack", "export"))["deployment"]
    assert [each["urn"].rsplit("::", 1)[1] for each in state["resources"] if each["type"] == TOPIC] == [made]
    assert not state.get("pending_operations")

    # Until that is cleared up, the plan stops, and the old plan is no longer what would be approved.
    done = pipeline.run("plan", PLAN=str(tmp_path / "refused"))
    assert (done.returncode, "did not say yes. Nothing was changed" in done.stderr) == (1, True), done.stderr
    run(kafka, "kafka-topics", "--delete", "--topic", taken)
    second = str(tmp_path / "second")
    assert pipeline.run("plan", PLAN=second).returncode == 0
    assert pipeline.run("apply", PLAN=first).returncode == 1
    done = pipeline.run("apply", PLAN=second)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (partitions(kafka, made), partitions(kafka, taken)) == ("1", "1")
    done = pipeline.run("verify", OUT=str(tmp_path / "out"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_script_wants_a_step(pipeline):
    done = pipeline.run("deploy")
    assert (done.returncode, "takes plan, apply, verify or nightly" in done.stderr) == (2, True)


def test_a_left_over_lock_stops_the_plan_and_says_who_left_it(pipeline, tmp_path):
    """As a killed run leaves it. Pulumi refuses it, too, and `pulumi cancel` releases it."""
    project = pipeline.project
    lock = project.root / "state" / ".pulumi" / "locks" / "organization" / "tried" / "dev" / "one.json"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.write_text('{"pid": 7, "username": "ci", "hostname": "runner", "timestamp": "2026-11-18T10:00:00Z"}')
    done = pipeline.run("plan", PLAN=str(tmp_path / "plan"))
    said = " ".join(pipeline.summary.read_text().split())
    # A summary mentions nobody.
    locked = "dev is locked by ci&#64;&#8203;runner (process 7) since 2026-11-18T10:00:00Z"
    assert (done.returncode, locked in said, "run pulumi cancel --stack dev" in said) == (1, True, True), said
    assert "currently locked" in project.run("up", "--yes", "--skip-preview", "--stack", "dev", fails=True)
    project.run("cancel", "--yes", "--stack", "dev")
    done = pipeline.run("plan", PLAN=str(tmp_path / "second"))
    assert done.returncode == 0, done.stdout + done.stderr
