"""`kafka-topology show`: the topology as it is in force."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from kafka_topology.cli.main import main
from kafka_topology.topology import Topology, load
from kafka_topology.topology.writing.show import as_json, as_yaml

Resolve = Callable[..., Topology]
SHOP = Path(__file__).parents[3] / "data" / "shop"
SMALL = """\
version: 1
cluster: {kafka: "4.1", defaults: {num.partitions: 6}}
profiles:
  event: {replication: 3, retention: forever, config: {cleanup.policy: [compact, delete]}}
topics:
  orders: {profile: event, owner: "no"}
environments:
  dev: {profiles: {event: {replication: 1}}}
"""


def test_profiles_and_environment_are_applied(resolve: Resolve) -> None:
    assert as_yaml(resolve(SMALL, "dev")) == (
        "version: 1\n"
        "cluster:\n"
        '  kafka: "4.1"\n'
        "  distribution: apache\n"
        "  defaults:\n"
        "    num.partitions: 6\n"
        "topics:\n"
        "  orders:\n"
        "    owner: 'no'\n"
        "    visibility: private\n"
        "    partitions: 6\n"
        "    replication: 1\n"
        "    ordering: none\n"
        "    config:\n"
        "      cleanup.policy: compact,delete\n"
        "      retention.ms: forever\n"
        "    deletion: protected\n"
    )


def test_origins_are_written_behind_each_value(resolve: Resolve, tmp_path: Path) -> None:
    lines = as_yaml(resolve(SMALL, "dev"), origins=True).replace(f"{tmp_path}/", "").splitlines()
    assert lines[7:] == [
        "  orders:",
        "    owner: 'no'  # topology.yaml:6",
        "    visibility: private  # language default",
        "    partitions: 6  # cluster default, topology.yaml:2",
        "    replication: 1  # environment dev, topology.yaml:8",
        "    ordering: none  # language default",
        "    config:",
        "      cleanup.policy: compact,delete  # profile event, topology.yaml:4",
        "      retention.ms: forever  # profile event, topology.yaml:4",
        "    deletion: protected  # language default",
    ]


def test_origins_in_json_stand_beside_the_topology(resolve: Resolve, tmp_path: Path) -> None:
    shown = json.loads(as_json(resolve(SMALL), origins=True))
    assert shown["topology"] == json.loads(as_json(resolve(SMALL)))
    assert shown["origins"]["/topics/orders/replication"] == {
        "layer": "profile",
        "name": "event",
        "file": str(tmp_path / "topology.yaml"),
        "line": 4,
        "column": 24,
    }
    assert shown["origins"]["/topics/orders/visibility"] == {"layer": "language default"}


@pytest.mark.parametrize("environment", [None, "dev"])
@pytest.mark.parametrize("write", [as_yaml, as_json])
def test_a_topology_that_uses_every_field_is_equal_when_it_is_loaded_again(
    tmp_path: Path, environment: str | None, write: Callable[[Topology], str]
) -> None:
    topology = load(SHOP, environment).topology
    assert topology is not None
    shutil.copytree(SHOP / "schemas", tmp_path / "schemas")
    (tmp_path / "shown.yaml").write_text(write(topology), encoding="utf-8")
    assert load(tmp_path).topology == topology


def test_the_command_shows_yaml_and_json() -> None:
    run = CliRunner().invoke
    as_text = run(main, ["show", str(SHOP), "--env", "dev"])
    assert as_text.exit_code == 0
    assert yaml.safe_load(as_text.stdout)["topics"]["shop.orders"]["replication"] == 1
    in_json = run(main, ["show", str(SHOP), "--format", "json", "--origins"])
    assert json.loads(in_json.stdout)["topology"]["topics"]["shop.orders"]["replication"] == 3


def test_the_command_names_what_keeps_it_from_showing(tmp_path: Path) -> None:
    (tmp_path / "topology.yaml").write_text("version: 1\ntopcs: {}\n")
    result = CliRunner().invoke(main, ["show", str(tmp_path)])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "did you mean `topics`?" in result.stderr
