"""Prefixes of an import that fit nothing on the cluster: one of several is a warning, all of them are an error."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from kafka_topology.cli.commands import import_
from kafka_topology.cluster.live.access import Acl
from kafka_topology.cluster.live.quotas import Entity
from kafka_topology.cluster.live.topics import LiveTopic
from kafka_topology.importing.files import Imported
from kafka_topology.importing.inventory import Inventory, parts
from kafka_topology.importing.prefixes import SECTIONS, matches
from kafka_topology.provider.config.settings import Owned
from kafka_topology.provider.resources.descriptor import installed_kinds
from kafka_topology.provider.resources.group.importing import FoundGroup
from kafka_topology.provider.resources.quota.importing import FoundQuotas, notes, take

FOUND = {
    "Topic": (LiveTopic("shop.orders", "id", 1, 1, {}),),
    "ConsumerGroup": {"shop.silent": FoundGroup(())},
    "ShareGroup": {},
    "User": {"shop-login": {"SCRAM-SHA-512": 4096}},
    "Access": frozenset({Acl("User:shop-acl", "topic", "shop.orders", "Read")}),
    "Quota": FoundQuotas({Entity("shop-quota"): {"producer_byte_rate": 1.0}, Entity(None, "id"): {}}),
}
EVERYTHING = Inventory(brokers={1: None}, found=FOUND)
ADVICE = "; check the prefix, and whether the client may describe what has it"


def without(*kinds: str) -> Inventory:
    return Inventory(found={kind: found for kind, found in FOUND.items() if kind not in kinds})


def test_each_kind_says_what_limits_it():
    importers = [kind.importer for kind in installed_kinds().values() if kind.importer is not None]
    assert {importer.limited_by for importer in importers} == set(SECTIONS)
    assert all(importer.about for importer in importers)
    assert parts() == ("groups", "share-groups", "users", "access", "quotas")


@pytest.mark.parametrize(
    "owned",
    [
        Owned(),
        Owned(topics=("shop.", "shop.orders")),
        Owned(groups=("shop.",)),  # it has committed nothing, so it is left out with a note, and is there
        Owned(principals=("User:shop-login", "User:shop-acl", "User:shop-quota")),
    ],
    ids=str,
)
def test_a_prefix_that_something_has_is_silent(owned):
    assert matches(EVERYTHING, owned).unmatched == ()
    assert not matches(EVERYTHING, owned).are_none


def test_one_of_several_prefixes_that_matches_nothing_is_named():
    found = matches(EVERYTHING, Owned(topics=("shop.", "typo.", "typo."), principals=("shop-login",)))
    assert [each.warning for each in found.unmatched] == [
        f"--topics typo. matches nothing in topics{ADVICE}",
        f"--principals shop-login matches nothing in users, access and quotas{ADVICE}",
    ]
    assert not found.are_none


def test_when_no_prefix_matches_the_import_is_wrong_even_if_other_sections_have_no_prefix():
    assert matches(EVERYTHING, Owned(topics=("typo.",))).are_none
    assert matches(EVERYTHING, Owned(topics=("typo.",), groups=("typo.",))).are_none
    assert not matches(EVERYTHING, Owned(topics=("typo.",), groups=("shop.",))).are_none


def test_what_was_left_out_may_have_the_prefix():
    found = matches(without("User"), Owned(principals=("User:shop-login",)))
    assert [each.warning for each in found.unmatched] == [
        f"--principals User:shop-login matches nothing in access and quotas, and users were left out{ADVICE}"
    ]
    assert not found.are_none
    found = matches(without("ConsumerGroup", "ShareGroup"), Owned(groups=("shop.",)))
    assert [each.warning for each in found.unmatched] == [
        "--groups shop. was not compared with the cluster, because groups and share-groups were left out"
    ]
    assert not found.are_none


@pytest.fixture
def run(monkeypatch, tmp_path):
    """The command on a cluster that has `FOUND`."""
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: str, found: Inventory = EVERYTHING):
        monkeypatch.setattr(import_, "_inventory", lambda *_, **__: found)
        return CliRunner().invoke(import_.command, ["--bootstrap", "a:1", "--output", "made", *arguments])

    return invoke


def test_the_command_warns_and_writes(run, tmp_path):
    result = run("--topics", "shop.", "--topics", "typo.", "--format", "json")
    assert result.exit_code == 0, result.output
    assert "warning: --topics typo. matches nothing in topics" in result.stderr
    assert [warning[:15] for warning in json.loads(result.stdout)["warnings"]] == ["--topics typo. "]
    assert (tmp_path / "made" / "topics.yaml").exists()


def test_the_command_writes_nothing_if_no_prefix_matches(run, tmp_path):
    result = run("--topics", "typo.", "--groups", "wrong.")
    assert result.exit_code == 2
    assert "nothing on the cluster has these prefixes: --topics typo., --groups wrong.; nothing was written" in (
        result.stderr
    )
    assert not (tmp_path / "made").exists()


def test_an_empty_cluster_is_not_blamed_on_prefixes(run):
    result = run(found=Inventory(found={}))
    assert result.exit_code == 2
    assert "there is nothing to import on the cluster; nothing was written" in result.stderr


def test_the_next_steps_of_an_import_can_be_pasted_whatever_the_folder_is_called(capsys):
    made = Imported({}, ())
    import_._print_next_steps(Path("my folder"), made, "shop", "prod")
    assert "  pulumi import --file 'my folder/pulumi-import.json' --generate-code=false\n" in capsys.readouterr().err


READING = SimpleNamespace(one=lambda ask: ask(), value=lambda found, _: found)


def reading_quotas(every, others):
    quotas = SimpleNamespace(describe_quotas=lambda: every, other_quotas=lambda: others)
    return SimpleNamespace(security=SimpleNamespace(quotas=quotas))


@pytest.mark.parametrize(("principals", "said"), [(None, False), (("User:",), True), (("User:ali",), True)])
def test_a_quota_for_everybody_is_outside_every_prefix_and_is_said(principals, said):
    limits = {"request_percentage": 20.0}
    every = {Entity("default"): limits, Entity(None, "default"): limits, Entity("alice"): limits, Entity(None, "x"): {}}
    found = take(reading_quotas(every, {}), Owned(principals=principals), READING)
    assert (Entity("default") in found.limits) == (principals is None)
    beyond = "quota left out, because it limits users outside the given principals too: "
    whom = ("user=default", "client-id=default") if said else ()
    assert [*notes(found)] == [f"{beyond}{each} (request_percentage=20)" for each in whom]


@pytest.mark.parametrize(
    ("principals", "kept"),
    [
        (None, ["ip=10.0.0.1", "user=alice,client-id='default'", "user='default'"]),
        (("User:col",), []),
        (("User:ali",), ["user=alice,client-id='default'"]),
        (("User:def",), ["user='default'"]),
    ],
)
def test_quotas_of_others_are_no_part_of_an_import_of_some_principals(principals, kept):
    others = {"ip=10.0.0.1": {}, "user=alice,client-id='default'": {}, "user='default'": {}}
    assert [*take(reading_quotas({}, others), Owned(principals=principals), READING).others] == kept
