"""`validate` as people call it: formats, baseline, selection, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from command import call

BAD = """\
version: 1
topics:
  orders:
    owner: shop
    partitions: 6
    replication: 3
    config:
      min.insync.replicas: 3
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.yaml").write_text(BAD)
    return tmp_path


def validate(*arguments: str) -> Result:
    return call("validate", "t.yaml", "--rule", "KT101", "--rule", "KT011", *arguments)


def test_findings_end_with_1_and_fail_on_decides(folder: Path) -> None:
    assert validate().exit_code == 1
    (folder / "t.yaml").write_text(BAD + "rules: {KT101: {severity: warning}}\n")
    assert validate().exit_code == 0
    assert validate("--fail-on", "warning").exit_code == 1


def test_unreadable_files_end_with_2_in_every_format(folder: Path) -> None:
    (folder / "t.yaml").write_text("version: 1\ntopcs: {}\n")
    result = validate("--format", "json=out.json,sarif=out.sarif,junit=out.xml,text")
    assert result.exit_code == 2
    assert "did you mean `topics`?" in result.stdout
    assert json.loads((folder / "out.json").read_text())["findings"][0]["rule"] == "KT002"
    assert (folder / "out.sarif").exists()


def test_several_formats_in_one_run(folder: Path) -> None:
    result = validate("--format", "sarif=out.sarif,github", "--format", "gitlab=q.json")
    assert result.stdout.startswith("::error file=t.yaml,line=8,")
    assert json.loads((folder / "out.sarif").read_text())["runs"][0]["results"][0]["ruleId"] == "KT101"
    assert json.loads((folder / "q.json").read_text())[0]["location"]["path"] == "t.yaml"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--format", "sarif=no/such/x.sarif"), "there is no folder no/such"),
        (("--rule", "KT190"), "no rule is called KT190; did you mean KT"),
        (("--skip", "KTX"), "no rule is called KTX"),
        (("--rule", "KT999"), "no rule is called KT999"),
        (("--rule", "foo"), "no rule is called foo; list them with `kafka-topology rules`"),
        (("--skip", "foo"), "no rule is called foo"),
        (("--skip", ""), 'no rule is called ""'),
        (("--rule", "min-isr-not-below-replicatoin"), "did you mean KT101?"),
        (("--rule", "kta101"), "is a rule about the live cluster; run `kafka-topology audit`"),
        (("--skip", "KT101", "--skip", "KT011"), "--rule and --skip leave no rule to run"),
        (("--update-baseline",), "--update-baseline needs --baseline"),
        (("--baseline", "b.json", "--update-baseline", "--diff"), "--diff writes nothing, so it cannot be combined"),
        (("--baseline", "b.json", "--update-baseline", "--format", "json"), "--format does nothing with --update-base"),
        (("--diff", "--format", "json=out.json"), "--format does nothing with --diff"),
        (("--baseline", "none.json"), "no such file or directory; write a new one with --update-baseline"),
    ],
)
def test_wrong_usage_ends_with_2_and_a_clear_message(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    result = validate(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_rules_are_selected_by_id_or_beginning(folder: Path) -> None:
    assert json.loads(call("validate", "t.yaml", "--rule", "KT1", "--format", "json").stdout)["summary"]["error"] == 1
    assert call("validate", "t.yaml", "--rule", "KT1", "--skip", "KT101").exit_code == 0


@pytest.mark.parametrize(
    "rule", ["KT101", "kt101", "kt1", "min-isr-not-below-replication", "Min-Isr-Not-Below-Replication"]
)
def test_a_rule_is_selected_in_any_case_and_by_its_name(folder: Path, rule: str) -> None:
    assert call("validate", "t.yaml", "--rule", rule).exit_code == 1
    assert call("validate", "t.yaml", "--rule", "KT101", "--rule", "KT2", "--skip", rule).exit_code == 0


@pytest.mark.parametrize("rule", ["KT901", "kt901", "KT9", "six-or-less", "acme1", "ACME"])
def test_rules_that_the_topology_declares_are_selected_like_others(folder: Path, rule: str) -> None:
    expect = "{for: topics, expect: topic.partitions < 6, name: six-or-less}"
    (folder / "t.yaml").write_text(
        BAD + f"rules: {{KT901: {expect}, ACME1: {expect.replace(', name: six-or-less', '')}}}\n"
    )
    found = json.loads(call("validate", "t.yaml", "--rule", rule, "--format", "json").stdout)["findings"]
    assert [each["rule"] for each in found] == ["ACME1" if "acme" in rule.lower() else "KT901"]
    unknown = call("validate", "t.yaml", "--rule", "KT902")
    assert (unknown.exit_code, "did you mean KT901?" in unknown.stderr) == (2, True)


def test_a_selection_that_checks_nothing_is_no_success(folder: Path) -> None:
    changes = call("validate", "t.yaml", "--rule", "KT802")
    assert (changes.exit_code, "compare two versions; run `kafka-topology review`" in changes.stderr) == (2, True)
    (folder / "t.yaml").write_text(BAD + "rules: {KT101: {severity: off}}\n")
    off = call("validate", "t.yaml", "--rule", "KT101")
    assert (off.exit_code, "nothing was checked: KT101 is off" in off.stderr) == (2, True)


def test_a_baseline_lets_an_old_repository_start_clean(folder: Path) -> None:
    assert validate("--baseline", "b.json", "--update-baseline").exit_code == 0
    clean = validate("--baseline", "b.json")
    assert clean.exit_code == 0
    assert "1 in the baseline" in clean.stdout
    (folder / "t.yaml").write_text("# a new line\n\n" + BAD)
    assert validate("--baseline", "b.json").exit_code == 0, "lines may move"
    assert json.loads((folder / "b.json").read_text())["findings"][0]["resource"] == "topic orders"


def test_a_baseline_never_hides_a_new_or_worse_finding(folder: Path) -> None:
    validate("--baseline", "b.json", "--update-baseline")
    (folder / "t.yaml").write_text(BAD.replace("replicas: 3", "replicas: 4"))
    assert validate("--baseline", "b.json").exit_code == 1, "another value is another finding"
    (folder / "t.yaml").write_text(BAD + BAD.split("topics:\n")[1].replace("orders", "pays"))
    result = validate("--baseline", "b.json", "--format", "json")
    assert [f["resource"] for f in json.loads(result.stdout)["findings"]] == ["pays"]


ENVIRONMENTS = BAD + "environments: {prod: {topics: {orders: {config: {min.insync.replicas: 2}}}}}\n"


def test_a_baseline_of_one_environment_hides_nothing_in_another(folder: Path) -> None:
    (folder / "t.yaml").write_text(ENVIRONMENTS)
    validate("--baseline", "b.json", "--update-baseline")
    assert validate("--baseline", "b.json").exit_code == 0
    prod = validate("--baseline", "b.json", "--env", "prod")
    assert (prod.exit_code, "no longer occurs" in prod.stdout) == (0, False)
    (folder / "t.yaml").write_text(BAD + "environments: {prod: {}}\n")
    assert validate("--baseline", "b.json", "--env", "prod").exit_code == 1


def test_one_baseline_holds_several_environments(folder: Path) -> None:
    (folder / "t.yaml").write_text(BAD + "environments: {dev: {}, prod: {}}\n")
    validate("--baseline", "b.json", "--update-baseline")
    result = validate("--baseline", "b.json", "--update-baseline", "--env", "prod")
    assert "wrote a baseline of 1 finding in environment prod" in result.stderr
    found = json.loads((folder / "b.json").read_text())["findings"]
    assert [entry["environment"] for entry in found] == [None, "prod"]
    assert validate("--baseline", "b.json").exit_code == 0
    assert validate("--baseline", "b.json", "--env", "prod").exit_code == 0
    assert validate("--baseline", "b.json", "--env", "dev").exit_code == 1


def test_entries_of_an_older_baseline_count_without_an_environment_only(folder: Path) -> None:
    (folder / "t.yaml").write_text(BAD + "environments: {prod: {}}\n")
    validate("--baseline", "b.json", "--update-baseline")
    written = json.loads((folder / "b.json").read_text())
    for entry in written["findings"]:
        del entry["environment"]
    (folder / "b.json").write_text(json.dumps(written))
    base = validate("--baseline", "b.json")
    assert (base.exit_code, base.stderr) == (0, "")
    result = validate("--baseline", "b.json", "--env", "prod")
    assert result.exit_code == 1
    assert "1 entry without an environment counts only without --env, not in prod" in result.stderr


def test_a_baseline_cannot_lift_limits(folder: Path) -> None:
    (folder / "t.yaml").write_text(BAD + 'rules: {KT016: {limits: {"*": {partitions: {max: 2}}}}}\n')
    result = call("validate", "t.yaml", "--rule", "KT016", "--baseline", "b.json", "--update-baseline")
    assert "left out 1 finding: a baseline cannot lift limits" in result.stderr
    assert json.loads((folder / "b.json").read_text())["findings"] == []
    finding = json.loads(call("validate", "t.yaml", "--rule", "KT016", "--format", "json").stdout)["findings"][0]
    entry = {"environment": None, "rule": "KT016", "resource": "topic orders", "message": finding["message"]}
    entry |= {"count": 1, "fingerprint": finding["fingerprint"]}
    (folder / "b.json").write_text(json.dumps({"version": 1, "findings": [entry]}))
    assert call("validate", "t.yaml", "--rule", "KT016", "--baseline", "b.json").exit_code == 1


def test_stale_entries_of_the_baseline_are_reported(folder: Path) -> None:
    validate("--baseline", "b.json", "--update-baseline")
    (folder / "t.yaml").write_text(BAD.replace("replicas: 3", "replicas: 2"))
    result = validate("--baseline", "b.json")
    assert result.exit_code == 0
    assert "no longer occurs, remove it from the baseline: KT101 topic orders" in result.stdout
    assert "no longer" not in call("validate", "t.yaml", "--rule", "KT103", "--baseline", "b.json").stdout


@pytest.mark.parametrize("text", ["", "[]", '{"version": 2}', '{"version": 1, "findings": [{"rule": "x"}]}'])
def test_a_broken_baseline_is_refused(folder: Path, text: str) -> None:
    (folder / "b.json").write_text(text)
    result = validate("--baseline", "b.json")
    assert result.exit_code == 2
    assert "b.json: " in result.stderr


def test_rules_lists_and_filters() -> None:
    listed = json.loads(call("rules", "--format", "json", "--category", "durability", "--severity", "error").stdout)
    assert "KT101" in [rule["id"] for rule in listed["rules"]]
    assert {rule["category"] for rule in listed["rules"]} == {"durability"}
    table = call("rules").stdout
    assert "min-isr-not-below-replication" in table
    assert call("rules", "--category", "nope").exit_code == 2


def test_explain_prints_the_page() -> None:
    page = call("explain", "kt101").stdout
    for heading in ("What it does", "Why it is bad", "Example", "Use instead"):
        assert f"## {heading}\n" in page
    assert call("explain", "min-isr-not-below-replication").stdout == page
    unknown = call("explain", "KT101X")
    assert unknown.exit_code == 2
    assert "did you mean KT101" in unknown.stderr


def test_one_run_shows_all_mistakes_under_rules(folder: Path) -> None:
    (folder / "t.yaml").write_text(
        "version: 1\n"
        "rules:\n"
        "  acme/x: {for: topics, expect: 'true'}\n"
        "  KT102: {severity: fatal, maxx: 1}\n"
        "  KT1234: {severity: off}\n"
        "  ACME1: {for: topcs, expect: 'true'}\n"
        "  ACME2: {for: topics, expect: 'topic.partitions >'}\n"
        "  ACME3: {for: topics, expect: 'topik.partitions > 1'}\n"
        "  KT211: {max: many}\n"
    )
    result = validate("--format", "json")
    assert result.exit_code == 2
    found = [(each["location"]["line"], each["rule"]) for each in json.loads(result.stdout)["findings"]]
    assert found == [
        (3, "KT003"), (4, "KT003"), (4, "KT002"), (5, "KT006"), (6, "KT003"), (7, "ACME2"), (8, "ACME3"), (9, "KT003"),
    ]  # fmt: skip
    assert "capital letters and then a number, such as KT101, ACME1 or SHOP-1" in result.stdout
