"""How the Pulumi program chooses its topology, and how it stops at an error in a file."""

from __future__ import annotations

from pathlib import Path

import pulumi
import pytest

from kafka_topology.program import deploy

GOOD = """\
version: 1
topics:
  orders: {owner: checkout, partitions: 6, replication: 3, config: {min.insync.replicas: 2}}
environments:
  dev: {topics: {orders: {partitions: 3}}}
  staging: {topics: {orders: {partitions: 4}}}
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "topology.yaml"
    file.write_text(text)
    return file


def test_a_path_is_relative_to_the_project_also_when_the_program_is_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").touch()
    (tmp_path / "program").mkdir()
    assert deploy.project_root(tmp_path / "program") == tmp_path
    assert deploy.project_root(tmp_path) == tmp_path


def test_an_error_of_a_rule_stops_the_program_with_its_place(tmp_path: Path) -> None:
    file = write(tmp_path, GOOD.replace("min.insync.replicas: 2", "min.insync.replicas: 3"))
    with pytest.raises(pulumi.RunError, match=r"^The topology has errors:\ntopology\.yaml:3:90: KT101 orders: "):
        deploy.load_valid(file, None, "prod", tmp_path)


def test_an_error_of_the_language_stops_the_program_with_its_place(tmp_path: Path) -> None:
    file = write(tmp_path, GOOD.replace("replication: 3", "replicas: 3"))
    with pytest.raises(pulumi.RunError, match=r"topology\.yaml:3:44: KT002 .*did you mean `replication`"):
        deploy.load_valid(file, None, "prod", tmp_path)


@pytest.mark.parametrize(
    ("environment", "stack", "partitions"),
    [(None, "dev", 3), (None, "feature-7", 6), ("staging", "dev", 4)],
    ids=["named like the stack", "no such environment", "configured"],
)
def test_the_environment_is_the_configured_one_or_the_stacks(
    environment: str | None, stack: str, partitions: int, tmp_path: Path
) -> None:
    topology = deploy.load_valid(write(tmp_path, GOOD), environment, stack, tmp_path)
    assert topology.topics["orders"].partitions == partitions


def test_a_configured_environment_must_exist(tmp_path: Path) -> None:
    with pytest.raises(pulumi.RunError, match="no environment is called `prd`"):
        deploy.load_valid(write(tmp_path, GOOD), "prd", "dev", tmp_path)


def test_a_key_of_the_stacks_config_that_nobody_reads_is_refused() -> None:
    known = {"kafka-topology:maxDeletes": "0", "kafka-topology:path": "topology", "shop:maxDelete": "0"}
    deploy.refuse_unknown_keys(known)
    with pytest.raises(pulumi.RunError, match=r"kafka-topology:maxDelete: .*Did you mean 'maxDeletes'"):
        deploy.refuse_unknown_keys({**known, "kafka-topology:maxDelete": "0"})


def test_a_project_with_the_providers_name_learns_why_its_own_config_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(pulumi, "get_project", lambda: "kafka-topology")
    with pytest.raises(pulumi.RunError, match=r"has the provider's name.*Change its name in Pulumi.yaml"):
        deploy.refuse_unknown_keys({"kafka-topology:checkoutPassword": "x"})


@pytest.mark.parametrize(("chosen", "is_one"), [(None, False), ("each", False), ("one", True)])
def test_the_stacks_config_chooses_one_resource_or_many(
    chosen: str | None, is_one: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulumi.Config, "get", lambda *_: chosen)
    assert deploy._is_one_resource() is is_one


def test_another_choice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulumi.Config, "get", lambda *_: "two")
    with pytest.raises(pulumi.RunError, match=r"kafka-topology:resources is 'two'\. Set it to 'each' or 'one'"):
        deploy._is_one_resource()


def test_the_caller_chooses_where_warnings_go(tmp_path: Path) -> None:
    file = write(tmp_path, GOOD.replace("owner: checkout, ", ""))
    said: list[str] = []
    deploy.load_valid(file, None, "prod", tmp_path, said.append)
    assert any("KT013" in warning for warning in said)


def test_a_topology_that_the_plugin_judges_is_only_read(tmp_path: Path) -> None:
    said: list[str] = []
    risky = write(tmp_path, GOOD.replace("owner: checkout, ", ""))
    assert deploy.load_valid(risky, None, "prod", tmp_path, said.append, judged=False).topics
    assert said == []
    with pytest.raises(pulumi.RunError, match="The topology has errors"):
        deploy.load_valid(write(tmp_path, "version: 99\n"), None, "prod", tmp_path, judged=False)
