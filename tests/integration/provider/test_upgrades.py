"""The state that an earlier version wrote, in the real engine with this version: no change, or a refusal."""

from __future__ import annotations

import json

import pytest
from recorded import recorded_versions
from upgrades import ids_of, one_project_on, project_on

VERSIONS = recorded_versions()


def moved(recorded, live):
    """The recorded state as if it had been made on this cluster: with its ids and its address."""
    text = json.dumps(recorded)
    for name, id_ in ids_of(recorded).items():
        text = text.replace(id_, ids_of(live)[name])
    return text.replace(_servers(recorded), _servers(live))


def _servers(state):
    (found,) = (
        each["inputs"]["bootstrapServers"]
        for each in state["deployment"]["resources"]
        if each["type"] == "pulumi:providers:kafka-topology"
    )
    return found


@pytest.fixture(scope="module")
def project(secure_kafka, tmp_path_factory):
    project = project_on(secure_kafka, tmp_path_factory.mktemp("upgrades") / "project")
    project.up()
    yield project
    project.destroy()


@pytest.fixture(scope="module")
def one(secure_kafka, tmp_path_factory):
    """One `Topology`."""
    project = one_project_on(secure_kafka, tmp_path_factory.mktemp("upgrades") / "one")
    project.up()
    yield project
    project.destroy()


def exported(project):
    return json.loads(project.run("stack", "export"))


def imported(project, text):
    (project.root / "recorded.json").write_text(text)
    project.run("stack", "import", "--file", str(project.root / "recorded.json"))


@pytest.mark.parametrize("folder", VERSIONS, ids=lambda folder: folder.name)
@pytest.mark.parametrize("is_marked", [True, False], ids=["marked", "unmarked"])
def test_a_recorded_state_previews_no_change(project, folder, is_marked):
    recorded = json.loads((folder / "state.json").read_text())
    if not is_marked:  # as before resources carried the version that wrote them
        for each in recorded["deployment"]["resources"]:
            each.get("outputs", {}).pop("__version", None)
    imported(project, moved(recorded, exported(project)))
    project.run("preview", "--expect-no-changes")
    project.up("--expect-no-changes")
    project.run("refresh", "--yes", "--skip-preview", "--expect-no-changes")


@pytest.mark.parametrize("folder", VERSIONS, ids=lambda folder: folder.name)
def test_a_recorded_topology_and_its_views_preview_no_change(one, folder):
    recorded = json.loads((folder / "topology-state.json").read_text())
    assert sum("viewOf" in each for each in recorded["deployment"]["resources"]) >= 3
    imported(one, moved(recorded, exported(one)))
    one.run("preview", "--expect-no-changes")
    one.up("--expect-no-changes")
    one.run("refresh", "--yes", "--skip-preview", "--expect-no-changes")


def test_a_state_of_a_newer_version_is_refused(project):
    state = exported(project)
    newer = json.loads(json.dumps(state))
    for each in newer["deployment"]["resources"]:
        if each["type"].startswith("kafka-topology:"):
            each["outputs"]["__version"] = "99.1.0"
    imported(project, json.dumps(newer))
    try:
        for said in (project.preview(fails=True), project.destroy(fails=True)):
            assert "kafka-topology 99.1.0 wrote this resource into the state, and this plugin is " in said
            assert "Install kafka-topology 99.1.0 or newer" in said
    finally:
        imported(project, json.dumps(state))
    project.run("preview", "--expect-no-changes")
