"""Finds the Pulumi project of a folder."""

from __future__ import annotations

import pytest

from kafka_topology.stacks.project import find_project, project_root


@pytest.mark.parametrize("name", ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"])
def test_the_nearest_project_file_above_counts(tmp_path, name):
    (tmp_path / "Pulumi.yaml").write_text("name: outer\n")
    inner = tmp_path / "inner"
    (inner / "topology").mkdir(parents=True)
    (inner / name).write_text('{"name": "inner"}')
    project = find_project(inner / "topology")
    assert project is not None
    assert (project.root, project.name) == (inner, "inner")
    assert find_project(inner / "topology" / "missing.yaml") == project


def test_without_a_project_there_is_none(tmp_path):
    assert find_project(tmp_path) is None
    assert project_root(tmp_path) == tmp_path


@pytest.mark.parametrize("text", ["", "- a\n", "name: [\n", "runtime: python\n"])
def test_a_project_without_a_readable_name_has_none(tmp_path, text):
    (tmp_path / "Pulumi.yaml").write_text(text)
    project = find_project(tmp_path)
    assert project is not None
    assert project.name is None


def test_stacks_are_found_by_their_files(tmp_path):
    (tmp_path / "Pulumi.yaml").write_text("name: shop\n")
    for name in ("Pulumi.prod.yaml", "Pulumi.dev.yml", "Pulumi.dev.yaml.bak", "Pulumi.eu.west.yaml"):
        (tmp_path / name).write_text("config: {kafka-topology:path: topology}\n")
    project = find_project(tmp_path)
    assert project is not None
    assert project.stacks_with_files() == ("dev", "eu.west", "prod")
    assert project.stack_file("acme/shop/dev") == tmp_path / "Pulumi.dev.yml"


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("name: shop\nplugins:\n  providers:\n    - name: kafka-topology\n      path: .venv/bin\n", True),
        ("name: shop\nplugins: {providers: [{name: kafka-topology, path: .venv/bin}]}\n", True),
        ('{"name": "shop", "plugins": {"providers": [{"name": "kafka-topology"}]}}', True),
        ("name: shop\nconfig: {'kafka-topology:path': topology}\n", True),
        ("name: shop\nconfig:\n  kafka-topology:path:\n    value: topology\n", True),
        ("name: near-kafka-topology\ndescription: next to kafka-topology\n", False),
        ("name: shop\nconfig: {my-kafka-topology:path: x}\n", False),
        ("name: website\nruntime: nodejs\n", False),
    ],
)
def test_a_project_uses_the_provider_if_its_files_say_so(tmp_path, text, uses):
    (tmp_path / "Pulumi.yaml").write_text(text)
    project = find_project(tmp_path)
    assert project is not None
    assert project.uses("kafka-topology") is uses
    (tmp_path / "Pulumi.dev.yaml").write_text("config:\n  kafka-topology:saslPassword:\n    secure: v1:abc\n")
    assert project.uses("kafka-topology")
