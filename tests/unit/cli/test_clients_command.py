"""`kafka-topology clients`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from kafka_topology.cli.main import main

TOPOLOGY = """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders]}
consumerGroups:
  shop/billing: {topics: [orders], start: earliest}
environments:
  dev:
    producers: {checkout: {delivery: at-most-once}}
"""


@pytest.fixture
def run(tmp_path):
    (tmp_path / "topology.yaml").write_text(TOPOLOGY)

    def invoke(*arguments: str):
        return CliRunner().invoke(main, ["clients", str(tmp_path / "topology.yaml"), *arguments])

    return invoke


def test_prints_every_client_with_its_reasons(run):
    result = run()
    assert result.exit_code == 0
    assert "# producer checkout" in result.stdout
    assert "# at least once: commit after the records are processed\nenable.auto.commit=false" in result.stdout


def test_prints_one_client_as_json(run):
    result = run("--name", "checkout", "--format", "json")
    (client,) = json.loads(result.stdout)
    assert client["config"]["acks"] == "all"
    assert client["reasons"]["acks"].startswith("at least once")


def test_an_environment_changes_what_is_needed(run):
    assert "retries=0" in run("--env", "dev").stdout


def test_an_unknown_name_is_wrong_usage_and_lists_the_known_ones(run):
    result = run("--name", "nobody")
    assert result.exit_code == 2
    assert "choose from checkout, shop/billing" in result.stderr


def test_writes_one_file_for_each_client(run, tmp_path):
    result = run("--output", str(tmp_path / "out"))
    files = sorted(file.name for file in (tmp_path / "out").iterdir())
    assert files == ["consumer-shop-billing.properties", "producer-checkout.properties"]
    assert result.stdout.splitlines() == [str(tmp_path / "out" / name) for name in reversed(files)]


def test_no_client_gets_the_file_of_another(tmp_path):
    file, out = tmp_path / "topology.yaml", tmp_path / "out"
    names = ["a/b", "a-b", "a b", "A-B", "c/d", "e"]
    producers = "".join(f"  {json.dumps(name)}: {{topics: [orders]}}\n" for name in names)
    file.write_text(f"version: 1\ntopics: {{orders: {{partitions: 6, replication: 3}}}}\nproducers:\n{producers}")
    result = CliRunner().invoke(main, ["clients", str(file), "--output", str(out)])
    assert result.exit_code == 0
    written = {each.read_text().splitlines()[0].removeprefix("# producer "): each.name for each in out.iterdir()}
    assert sorted(written) == sorted(names)
    assert len({name.lower() for name in written.values()}) == len(names)
    assert sorted(result.stdout.splitlines()) == sorted(str(out / name) for name in written.values())
    assert (written["a-b"], written["c/d"]) == ("producer-a-b.properties", "producer-c-d.properties")
    one = CliRunner().invoke(main, ["clients", str(file), "--output", str(tmp_path / "one"), "--name", "a/b"])
    assert one.stdout == f"{tmp_path / 'one' / written['a/b']}\n"


def test_a_topology_that_does_not_load_shows_where_and_ends_with_2(tmp_path):
    file = tmp_path / "topology.yaml"
    file.write_text("version: 1\ntopics:\n  orders: {partitions: many, replication: 3}\n")
    result = CliRunner().invoke(main, ["clients", str(file)])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert f"{file}:3:24: error KT003" in result.stderr
    assert "                        | " not in result.stderr
    assert "3 |   orders: {partitions: many, replication: 3}" in result.stderr
    assert "^^^^" in result.stderr
    assert "\x1b[" not in result.stderr


def test_a_topology_without_clients_says_so(tmp_path):
    file = tmp_path / "topology.yaml"
    file.write_text("version: 1\ntopics: {orders: {partitions: 6, replication: 3}}\n")
    result = CliRunner().invoke(main, ["clients", str(file)])
    assert (result.exit_code, result.stdout) == (0, "")
    assert "declares no producer, consumer group, share group or streams application" in result.stderr
    named = CliRunner().invoke(main, ["clients", str(file), "--name", "x"])
    assert (named.exit_code, "declares no producer" in named.stderr) == (2, True)
    acls = CliRunner().invoke(main, ["show", str(file), "--acls"])
    assert (acls.exit_code, acls.stdout) == (0, "")
    assert "declares no ACLs" in acls.stderr
