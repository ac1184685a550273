"""What the engine makes of a run that cannot end as planned: its time is up, it is stopped, or a part is refused."""

from __future__ import annotations

import json
import signal
import time
from contextlib import contextmanager
from uuid import uuid4

import pytest
from confluent_kafka.admin import AdminClient
from kills import is_plugin, plugins_of
from pulumi_project import GROUP, TOPIC, PulumiProject


@pytest.fixture
def name():
    return f"interrupted-{uuid4().hex[:8]}"


@pytest.fixture
def project(kafka, tmp_path):
    """Whoever waits in it for a change waits longer than a test may last."""
    project = PulumiProject(tmp_path / "project", kafka.bootstrap_servers)
    project.configure("operationTimeout", "3600")
    return project


def resources(project, kind):
    state = json.loads(project.run("stack", "export"))["deployment"]
    assert not state.get("pending_operations")
    return {r["urn"].rsplit("::", 1)[1]: r for r in state.get("resources", ()) if r["type"] == kind}


def test_custom_timeouts_of_a_resource_end_its_wait(project, name):
    missing = f"{name}.missing"
    project.groups = {name: {"topics": [missing], "start": "earliest", "timeouts": {"create": "2s"}}}
    shown = " ".join(project.up(fails=True).split())
    assert f"group '{name}': its topics are not on the cluster: {missing}" in shown
    assert resources(project, GROUP) == {}


@contextmanager
def waiting_up(project, name):
    """An `up` that has made a topic, and waits for another one on behalf of a group."""
    missing, made = f"{name}.missing", f"{name}.made"
    project.topics = {made: {"partitions": 1, "replication": 1, "deletion": "allowed"}}
    project.groups = {name: {"topics": [missing], "start": "earliest", "deletion": "allowed"}}
    with project.start("up", "--yes", "--skip-preview") as run:
        shown = ""
        while f"{made} created" not in shown or f"{name} creating" not in shown:
            line = run.stdout.readline()
            assert line, shown
            shown += line
        yield run


def test_a_plugin_whose_engine_was_killed_ends_though_an_operation_waits(project, name):
    with waiting_up(project, name) as run:
        (plugin,) = plugins_of(run.pid)
        run.kill()
        deadline = time.monotonic() + 60
        while is_plugin(plugin):
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_a_run_that_is_stopped_ends_clean_and_the_next_one_converges(project, name):
    missing, made = f"{name}.missing", f"{name}.made"
    with waiting_up(project, name) as run:
        run.send_signal(signal.SIGINT)
        rest, _ = run.communicate(timeout=100)
        assert run.returncode != 0
    assert f"group '{name}': stopped before it was done" in " ".join(rest.split())
    assert set(resources(project, TOPIC)) == {made}
    assert resources(project, GROUP) == {}

    project.topics[missing] = dict(project.topics[made])
    project.up()
    assert set(resources(project, GROUP)) == {name}
    project.up("--expect-no-changes")
    project.destroy()


def test_what_a_broker_refuses_of_a_change_is_an_error_of_the_resource_and_the_rest_is_kept(project, kafka, name):
    topic = {"partitions": 1, "replication": 1, "deletion": "allowed", "config": {"retention.ms": "60000"}}
    project.topics = {name: topic}
    # The rules would refuse the value before the brokers do.
    project.configure("rules", json.dumps({"severity": {"KT103": "off", "KT302": "off"}}))
    project.up()
    topic |= {"partitions": 2, "config": {"retention.ms": "60000", "min.compaction.lag.ms": "-5"}}
    shown = project.up(fails=True)
    assert "min.compaction.lag.ms" in shown
    state = resources(project, TOPIC)[name]
    assert state["outputs"]["partitions"] == 2
    assert "min.compaction.lag.ms" in " ".join(state["initErrors"])
    assert state["outputs"]["config"] == {"retention.ms": "60000"}

    topic["config"] = {"retention.ms": "60000", "min.compaction.lag.ms": "5"}
    project.up()
    assert "initErrors" not in resources(project, TOPIC)[name]
    project.up("--expect-no-changes")
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    assert len(admin.list_topics(timeout=10).topics[name].partitions) == 2
    project.destroy()
