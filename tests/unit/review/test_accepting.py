"""Risks that the files accept: shown, exact, and only until their day."""

from __future__ import annotations

import json

import pytest
from gitted import Repository, repository_of

BASE = """\
version: 1
profiles:
  event: {replication: 3, retention: 7d, config: {min.insync.replicas: 2, segment.ms: 1h}}
topics:
  orders: {owner: a, profile: event, partitions: 6, key: {type: uuid}, deletion: allowed}
  carts: {owner: a, profile: event, partitions: 6, deletion: allowed}
  old: {owner: b, profile: event, partitions: 6, deletion: allowed}
consumerGroups:
  billing: {owner: a, topics: [old], principal: "User:billing", start: earliest}
"""
FAR, PAST = "2999-01-01", "2020-01-01"
GATE = ("--fail-on", "needs-care")


@pytest.fixture
def repository(tmp_path, monkeypatch) -> Repository:
    made = repository_of(tmp_path / "repository", {"t.yaml": BASE})
    monkeypatch.chdir(made.root)
    return made


def accept(repository: Repository, change: str, until: str = FAR, file: str = "accept.yaml") -> None:
    entry = {"change": change, "reason": "nobody keeps state", "ticket": "OPS-1", "until": until}
    repository.write({file: f"version: 1\naccept: [{json.dumps(entry, ensure_ascii=False)}]\n"})


def raise_partitions(repository: Repository) -> None:
    repository.edit("t.yaml", ("event, partitions: 6, key", "event, partitions: 12, key"))


def test_a_named_change_does_not_fail_and_stays_in_every_format(repository):
    raise_partitions(repository)
    assert repository.review(*GATE).exit_code == 1
    accept(repository, "topic orders partitions: 6 -> 12")
    result = repository.review(
        *GATE, "--format", "text,markdown=o.md,codeowners=o.txt,github=o.gh,sarif=o.sarif,page=o.html"
    )
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "✅ 1 accepted change"
    said = f"ccepted until {FAR}: nobody keeps state (OPS-1), at topology/accept.yaml:2"
    comment = (repository.root / "o.md").read_text()
    for text in (result.stdout, comment, (repository.root / "o.gh").read_text()):
        assert said.partition(", at")[0] in text
    assert said in result.stdout
    assert said in comment
    page = (repository.root / "o.html").read_text()
    assert f"✓ A{said}." in page
    assert "<b>1</b> accepted change<" in page
    assert "<b>0</b> breaking changes<" in page
    assert 'class="verdict" data-value="warning">Passes: 1 accepted change<' in page
    assert "::error" not in (repository.root / "o.gh").read_text()
    assert "/topology/accept.yaml a\n" in (repository.root / "o.txt").read_text()
    told = repository.told(*GATE)
    (change,) = told["changes"]
    assert change["accepted"]["until"] == FAR
    assert change["acceptAs"] == "topic orders partitions: 6 → 12"
    (finding,) = [each for each in told["findings"] if each["rule"] == "KT802"]
    assert finding["accepted"]["ticket"] == "OPS-1"
    assert (told["verdict"]["result"], told["summary"]["breaking"]) == ("passed", 1)


def test_after_its_last_day_the_change_counts_again(repository):
    raise_partitions(repository)
    accept(repository, "topic orders partitions: 6 → 12", PAST)
    result = repository.review(*GATE)
    assert result.exit_code == 1
    assert "warning acceptance-expired" in result.stdout
    assert "the change counts again" in result.stdout


@pytest.mark.parametrize("change", ["topic orders partitions: 6 → 24", "topic orders removed", "topic orders"])
def test_an_entry_for_another_change_accepts_nothing_and_is_reported(repository, change):
    raise_partitions(repository)
    accept(repository, change)
    result = repository.review(*GATE)
    assert result.exit_code == 1
    assert "warning acceptance-unmatched" in result.stdout
    assert 'write `change: "topic orders partitions: 6 → 12"`' in result.stdout


def test_a_row_of_a_profile_is_accepted_as_one(repository):
    repository.edit("t.yaml", ("retention: 7d", "retention: 2d"))
    accept(repository, "profile event config.retention.ms: 7d → 2d")
    assert repository.review(*GATE).exit_code == 0
    assert all(each["accepted"] for each in repository.told()["changes"])


def test_a_removed_topic_is_accepted_and_what_is_not_named_still_fails(repository):
    repository.edit(
        "t.yaml",
        ("  old: {owner: b, profile: event, partitions: 6, deletion: allowed}\n", ""),
        ("topics: [old]", "topics: [carts]"),
    )
    accept(repository, "topic old removed")
    result = repository.review("--fail-on", "destructive")
    assert (result.exit_code, "1 accepted change" in result.stdout.splitlines()[0]) == (0, True)
    assert repository.review("--fail-on", "needs-care").exit_code == 1


def test_an_entry_of_the_base_counts_until_its_day_and_says_where_it_is(repository):
    accept(repository, "topic orders partitions: 6 → 12")
    repository.commit("agreed before")
    raise_partitions(repository)
    result = repository.run("diff", "HEAD:topology", "topology", *GATE)
    assert (result.exit_code, "which the base has already" in result.stdout) == (0, True)


def test_an_entry_that_did_its_work_is_quiet_and_later_asks_to_be_removed(repository):
    raise_partitions(repository)
    accept(repository, "topic orders partitions: 6 → 12")
    repository.commit("merged")
    quiet = repository.run("diff", "HEAD:topology", "topology", "--all", *GATE)
    assert (quiet.exit_code, "acceptance" in quiet.stdout) == (0, False)
    accept(repository, "topic orders partitions: 6 → 12", PAST)
    repository.commit("later")
    later = repository.run("diff", "HEAD:topology", "topology", *GATE)
    assert (later.exit_code, "acceptance" in later.stdout) == (0, False)
    assert "remove the entry" in repository.run("diff", "HEAD:topology", "topology", "--all").stdout


def test_an_error_that_is_not_about_the_change_is_not_accepted(repository):
    repository.edit("t.yaml", ("min.insync.replicas: 2", "min.insync.replicas: 3"))
    (change, *_) = repository.told()["changes"]
    accept(repository, change["acceptAs"])
    assert repository.review().exit_code == 1


def test_a_day_that_is_none_and_a_missing_reason_are_refused(repository):
    repository.write(
        {"accept.yaml": 'version: 1\naccept: [{change: "a", reason: b, until: 2026-02-31}, {change: c}]\n'}
    )
    result = repository.review()
    assert result.exit_code == 2
    assert "expected a day such as 2026-12-31" in result.stdout
    assert "`reason`" in result.stdout


def test_an_accepted_edit_of_a_schema_accepts_no_other_edit(repository):
    with_schema = "key: {type: uuid}, value: {format: json, schema: order.json}"
    repository.edit("t.yaml", ("key: {type: uuid}", with_schema))
    repository.write({"order.json": '{"type": "object", "properties": {"a": {"enum": ["x", "y", "z"]}}}'})
    base = repository.commit("a schema")
    repository.write({"order.json": '{"type": "object", "properties": {"a": {"enum": ["x", "y"]}}}'})
    told = json.loads(repository.run("diff", f"{base}:topology", "topology", "--format", "json").stdout)
    (change,) = told["changes"]
    accept(repository, change["acceptAs"])
    assert repository.run("diff", f"{base}:topology", "topology", *GATE).exit_code == 0
    repository.commit("merged")
    repository.write({"order.json": '{"type": "object", "properties": {"a": {"enum": ["x"]}}}'})
    result = repository.run("diff", "HEAD:topology", "topology", *GATE)
    assert (result.exit_code, "accepted" in result.stdout.splitlines()[0]) == (1, False)


def test_accepted_inherited_settings_accept_no_others(repository):
    cluster = "cluster: {kafka: '4.1', defaults: {log.retention.hours: 168}}\n"
    repository.edit("t.yaml", ("version: 1\n", f"version: 1\n{cluster}"), ("retention: 7d, ", ""))
    base = repository.commit("a default")
    repository.edit("t.yaml", ("log.retention.hours: 168", "log.retention.hours: 150"))
    told = json.loads(repository.run("diff", f"{base}:topology", "topology", "--format", "json").stdout)
    names = {each["acceptAs"] for each in told["changes"] if each["acceptAs"]}
    entries = [{"change": name, "reason": "agreed", "until": FAR} for name in names]
    repository.write({"accept.yaml": f"version: 1\naccept: {json.dumps(entries, ensure_ascii=False)}\n"})
    assert repository.run("diff", f"{base}:topology", "topology", *GATE).exit_code == 0
    repository.commit("merged")
    repository.edit("t.yaml", ("log.retention.hours: 150", "log.retention.hours: 60"))
    assert repository.run("diff", "HEAD:topology", "topology", *GATE).exit_code == 1


def test_an_accepted_change_of_a_secret_accepts_no_other(repository):
    repository.edit(
        "t.yaml",
        ("consumerGroups:", "users:\n  app: {mechanism: SCRAM-SHA-512, password: {secret: first}}\nconsumerGroups:"),
    )
    base = repository.commit("a user")
    repository.edit("t.yaml", ("secret: first", "secret: second"))
    told = json.loads(repository.run("diff", f"{base}:topology", "topology", "--format", "json").stdout)
    (change,) = told["changes"]
    assert change["acceptAs"].count("[secret]") == 2
    accept(repository, change["acceptAs"])
    assert repository.run("diff", f"{base}:topology", "topology", *GATE).exit_code == 0
    repository.commit("merged")
    repository.edit("t.yaml", ("secret: second", "secret: third"))
    result = repository.run("diff", "HEAD:topology", "topology", *GATE)
    assert result.exit_code == 1
    assert "secrets are not shown, so it does not accept this one" in " ".join(result.stdout.split())


def test_an_edit_of_a_file_that_a_schema_refers_to_is_a_change_of_the_schema(repository):
    schema = "key: {type: uuid}, value: {format: json, schema: schemas/order.json}"
    repository.edit("t.yaml", ("key: {type: uuid}", schema))
    refers = '{"type": "object", "properties": {"a": {"$ref": "parts/a.json"}}}'
    repository.write({"schemas/order.json": refers, "schemas/parts/a.json": '{"$ref": "../b.json#/$defs/b"}'})
    repository.write({"schemas/b.json": '{"$defs": {"b": {"type": "string"}}}'})
    repository.commit("a schema in three files")
    repository.write({"schemas/b.json": '{"$defs": {"b": {"type": "integer"}}}'})
    result = repository.run("diff", "HEAD:topology", "topology", *GATE)
    assert result.exit_code == 1
    assert "could not compare schemas/b.json, which it refers to and which changed" in " ".join(result.stdout.split())


def test_another_profile_is_accepted_with_what_it_brings(repository):
    short = "  short: {replication: 3, retention: %s, config: {min.insync.replicas: 2, segment.ms: 1h}}\ntopics:\n"
    repository.edit(
        "t.yaml",
        ("topics:\n  orders", short % "5d" + "  orders"),
        ("carts: {owner: a, profile: event", "carts: {owner: a, profile: short"),
    )
    (name,) = {each["acceptAs"] for each in repository.told()["changes"]}
    accept(repository, name)
    assert repository.review(*GATE).exit_code == 0
    repository.edit("t.yaml", ("retention: 5d", "retention: 1h"))
    result = repository.review(*GATE)
    assert (result.exit_code, "warning acceptance-unmatched" in result.stdout) == (1, True)
    accept(repository, "topic carts profile: event → short")
    assert repository.review(*GATE).exit_code == 1
