"""What earlier versions left behind, read by this one: the state of every kind, baselines, checks and reports."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from grpc_engine import provider, provider_pb2
from recorded import recorded_versions

from kafka_topology.cli.main import main
from kafka_topology.documents import BASELINE, CHECKS, FINDINGS, STATE, mistake_in
from kafka_topology.preflight.deployed import read_state
from kafka_topology.provider.plugin.property_codec import decode, encode
from kafka_topology.provider.plugin.versions import WRITTEN_BY
from kafka_topology.provider.resources.descriptor import installed_kinds
from kafka_topology.spark_checks.reading.state import parse_state

VERSIONS = recorded_versions()
EACH = pytest.mark.parametrize("folder", VERSIONS, ids=lambda folder: folder.name)
_SECRET = "4dabf18193072939515e22adb298388d"


def resources(folder: Path) -> list[dict[str, Any]]:
    state = json.loads((folder / "state.json").read_text(encoding="utf-8"))
    return [each for each in state["deployment"]["resources"] if each["type"].startswith("kafka-topology:")]


def plain(value: Any) -> Any:
    """With the ciphertext as the value of a secret: only whether it changed matters here."""
    if isinstance(value, dict) and _SECRET in value:
        return {_SECRET: value[_SECRET], "value": value["ciphertext"]}
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


async def differences(each: dict[str, Any], outputs: dict[str, Any]) -> tuple[list[str], set[str]]:
    """What Check refuses, and what Diff finds between the recorded state and the same inputs."""

    def connect(_: object) -> Any:
        return SimpleNamespace(cluster_id="another", close=lambda: None)

    async with provider({"bootstrapServers": "127.0.0.1:1"}, connect=connect) as client:
        inputs, urn, kind = plain(each["inputs"]), each["urn"], each["type"]
        request = provider_pb2.CheckRequest(
            urn=urn, olds=encode(inputs), news=encode(inputs), type=kind, name=urn.rpartition("::")[2]
        )
        checked = await client.stub.Check(request)
        assert decode(checked.inputs) == decode(encode(inputs))
        found = await client.stub.Diff(
            provider_pb2.DiffRequest(
                id=each["id"],
                urn=urn,
                type=kind,
                olds=encode(plain(outputs)),
                old_inputs=encode(inputs),
                news=checked.inputs,
            )
        )
        return [failure.reason for failure in checked.failures], set(found.detailedDiff)


@EACH
def test_no_kind_sees_a_change_in_its_recorded_state(folder: Path) -> None:
    for each in resources(folder):
        unmarked = {name: value for name, value in each["outputs"].items() if name != WRITTEN_BY}
        for outputs in (each["outputs"], unmarked):
            assert asyncio.run(differences(each, outputs)) == ([], set()), each["urn"]


def test_versions_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("0.10.0", "0.9.0", "1.0.0", "0.9.10"):
        (tmp_path / name).mkdir()
    assert [each.name for each in recorded_versions(tmp_path)] == ["0.9.0", "0.9.10", "0.10.0", "1.0.0"]


def test_the_newest_recording_has_every_kind_that_a_program_declares_alone() -> None:
    found = {each["type"].rpartition(":")[2] for each in resources(VERSIONS[-1])}
    assert found >= {"Topic", "ConsumerGroup", "ShareGroup", "Access", "User", "Quota"}
    assert found <= {kind.token.rpartition(":")[2] for kind in installed_kinds().values()}


@EACH
def test_a_preflight_reads_the_state(folder: Path) -> None:
    deployed = read_state(json.loads((folder / "state.json").read_text(encoding="utf-8")), "the recording")
    assert deployed.provider == folder.name
    assert len(deployed.resources) == len(resources(folder))


@EACH
@pytest.mark.parametrize(
    ("name", "schema"),
    [("baseline.json", BASELINE), ("checked.json", STATE), ("findings.json", FINDINGS), ("audit.json", FINDINGS),
     ("checks.json", CHECKS)],
)  # fmt: skip
def test_todays_schemas_hold_for_recorded_files(folder: Path, name: str, schema: str) -> None:
    assert mistake_in((folder / name).read_text(encoding="utf-8"), schema) is None


@EACH
def test_an_incremental_check_goes_on_from_the_recorded_offsets(folder: Path) -> None:
    text = (folder / "checked.json").read_text(encoding="utf-8")
    assert json.loads(parse_state(text).to_json()) == json.loads(text)


@EACH
def test_the_recorded_baseline_still_holds(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that is new since then may find more; nothing that was known is forgotten or counted again."""
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(main, ["validate", "topology.yaml", "--baseline", "baseline.json", "--format", "json"])
    assert done.exit_code in (0, 1), done.output
    known = {(each["rule"], each["message"]) for each in _entries(json.loads(Path("baseline.json").read_text()))}
    new = {(each["rule"], each["message"]) for each in json.loads(done.stdout)["findings"]}
    assert not known & new
    assert "no longer" not in done.stderr


@EACH
def test_a_page_shows_the_recorded_reports(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    page = str(tmp_path / "page.html")
    files = ["--check", "checks.json", "--audit", "audit.json"]
    done = CliRunner().invoke(main, ["report", "topology.yaml", *files, "--output", page])
    assert done.exit_code == 0, done.output


def _entries(held: Any) -> list[dict[str, Any]]:
    return list(held["findings"])
