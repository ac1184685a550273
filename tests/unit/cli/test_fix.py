"""`validate --fix` and `--diff`: what is fixed, what is refused, and what stays unchanged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kafka_topology.cli.main import main
from kafka_topology.fixing.edits import apply_edits, changed_elsewhere, overlap
from kafka_topology.fixing.fixes import FileChanged, find_fixes, write_fixes
from kafka_topology.topology import Edit, Location
from kafka_topology.validators import Context, Problem, Rule, builtin_rules
from kafka_topology.validators.engine import run as engine
from kafka_topology.validators.engine.registry import RulePacks

KT101 = next(rule for rule in builtin_rules() if rule.id == "KT101")
BAD = """\
# a comment
version: 1
topics:
  a:   {owner: x,  partitions: 6, replication: 3, config: {min.insync.replicas: 3}} # keep
  b:
    owner: 'é'
    partitions: 6
    replication: 3
    config:
      min.insync.replicas:   3   # keep too
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def validate(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["validate", "t.yaml", "--rule", "KT101", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_fix_edits_the_values_and_nothing_else(folder: Path) -> None:
    (folder / "t.yaml").write_text(BAD)
    result = validate("--fix")
    assert result.exit_code == 0
    fixed = BAD.replace("replicas: 3}", "replicas: 2}").replace("   3   #", "   2   #")
    assert (folder / "t.yaml").read_text() == fixed
    assert "fixed KT101 a at t.yaml:4:81: 3 -> 2" in result.stderr
    assert "t.yaml: no findings" in result.stdout
    assert [file.name for file in folder.iterdir()] == ["t.yaml"]


def test_diff_shows_and_writes_nothing(folder: Path) -> None:
    (folder / "t.yaml").write_text(BAD)
    result = validate("--diff")
    assert result.exit_code == 1
    assert result.stdout.startswith("--- a/t.yaml\n+++ b/t.yaml\n")
    assert (
        "-      min.insync.replicas:   3   # keep too\n+      min.insync.replicas:   2   # keep too\n" in result.stdout
    )
    assert (folder / "t.yaml").read_text() == BAD


def test_line_ends_byte_order_mark_and_permissions_stay(folder: Path) -> None:
    file = folder / "t.yaml"
    data = b"\xef\xbb\xbf" + BAD.replace("\n", "\r\n").encode()
    file.write_bytes(data)
    file.chmod(0o640)
    assert validate("--fix").exit_code == 0
    assert file.read_bytes() == data.replace(b"replicas: 3}", b"replicas: 2}").replace(b"   3   #", b"   2   #")
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_value_behind_an_anchor_is_left_alone(folder: Path) -> None:
    text = (
        "version: 1\ntopics:\n"
        "  a: {owner: x, partitions: 1, replication: 3, config: &c {min.insync.replicas: 3}}\n"
        "  b: {owner: x, partitions: 1, replication: 4, config: *c}\n"
    )
    (folder / "t.yaml").write_text(text)
    result = validate("--fix")
    assert result.exit_code == 1
    assert "shared through an anchor" in result.stderr
    assert (folder / "t.yaml").read_text() == text
    assert "fixable" not in result.stdout
    assert "fixable" not in validate().stdout
    found = json.loads(validate("--format", "json").stdout)["findings"]
    assert [each["edits"] for each in found] == [[]] * len(found)
    alone = "  d: {owner: x, partitions: 1, replication: 3, config: {min.insync.replicas: 3}}\n"
    (folder / "t.yaml").write_text(text + alone)
    assert "1 fixable with --fix" in validate().stdout


def test_a_refused_fix_is_not_counted_as_fixable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = (rule_that_edits("KT950", "2", finds="1"), rule_that_edits("KT951", "zwei", finds="2"))
    monkeypatch.setattr(engine, "installed_rules", lambda: RulePacks(rules))
    (folder / "t.yaml").write_text(ONE)
    result = CliRunner().invoke(main, ["validate", "t.yaml", "--fix"])
    assert "not fixed: KT950" in result.stderr
    assert "KT950" in result.stdout
    assert "fixable" not in result.stdout


def test_what_is_suppressed_or_in_the_baseline_is_not_fixed(folder: Path) -> None:
    (folder / "t.yaml").write_text(BAD.replace("    owner: 'é'", "    owner: 'é'\n    ignore: {KT101: known}"))
    CliRunner().invoke(main, ["validate", "t.yaml", "--rule", "KT101", "--baseline", "b.json", "--update-baseline"])
    result = validate("--baseline", "b.json", "--fix")
    assert "no automatic fixes" in result.stderr
    assert "replicas: 3}" in (folder / "t.yaml").read_text()


def rule_that_edits(
    rule_id: str, text: str, *, finds: str, environment: str | None = None, topic: str | None = None
) -> Rule:
    """Finds fault with one number of partitions, perhaps in one environment only, and edits it."""

    def check(context: Context) -> Iterator[Problem]:
        for each in context.topology.topics.values():
            if topic not in (None, each.name):
                continue
            if str(each.partitions) == finds and environment in (None, context.topology.environment):
                place = each.place("partitions")
                yield Problem("m", place, each.name, "r", edits=(Edit(place.location, text),))

    return Rule(
        id=rule_id, name="n", severity=KT101.severity, summary="s", why="w", fix="f", check=check, good=(), bad=()
    )


ONE = "version: 1\ntopics: {a: {partitions: 1, replication: 3}}\n"
SHARED = """\
version: 1
profiles: {p: {partitions: 1, replication: 3}}
topics: {a: {profile: p}, b: {profile: p}}
environments: {dev: {}}
"""


def fixed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *rules: Rule, text: str = ONE, environment: str | None = None
) -> tuple[str, list[str]]:
    """The partitions that are written in the end, and why edits were refused."""
    monkeypatch.setattr(engine, "installed_rules", lambda: RulePacks(rules))
    file = folder / "t.yaml"
    file.write_text(text)
    fixes = find_fixes(file, environment, lambda _: True, lambda outcome: outcome.findings)
    write_fixes(fixes)
    return file.read_text().split("partitions: ")[1].split(",")[0], [each.reason for each in fixes.refused]


def test_a_value_that_topics_share_is_edited_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = rule_that_edits("KT950", "22", finds="1")
    assert fixed(folder, monkeypatch, rule, text=SHARED) == ("22", [])
    assert (folder / "t.yaml").read_text() == SHARED.replace("partitions: 1", "partitions: 22")


def test_a_fix_that_hurts_another_environment_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = rule_that_edits("KT950", "2", finds="1")
    hurt = rule_that_edits("KT951", "3", finds="2", environment="dev")
    text, reasons = fixed(folder, monkeypatch, rule, hurt, text=SHARED)
    assert text == "1"
    assert set(reasons) == {"it would cause KT951 on a in environment dev"}


def test_a_value_that_another_environment_uses_without_the_finding_is_left_alone(folder: Path) -> None:
    base = "version: 1\ntopics: {a: {owner: x, partitions: 5, replication: 3, config: {min.insync.replicas: 3}}}\n"
    prod = base + "environments: {prod: {topics: {a: {replication: 5}}}}\n"
    (folder / "t.yaml").write_text(prod)
    result = validate("--fix")
    assert (folder / "t.yaml").read_text() == prod
    assert "environment prod uses the value, too, and does not need the fix" in result.stderr
    own = base + "environments: {prod: {topics: {a: {replication: 5, config: {min.insync.replicas: 4}}}}}\n"
    (folder / "t.yaml").write_text(own)
    assert validate("--fix").exit_code == 0
    assert (folder / "t.yaml").read_text() == own.replace("replicas: 3}", "replicas: 2}")


def test_the_fix_for_one_environment_leaves_what_the_base_needs(folder: Path) -> None:
    text = (
        "version: 1\ntopics: {a: {owner: x, partitions: 5, replication: 5, config: {min.insync.replicas: 3}}}\n"
        "environments: {dev: {topics: {a: {replication: 3}}}}\n"
    )
    (folder / "t.yaml").write_text(text)
    assert "the base uses the value, too" in validate("--fix", "--env", "dev").stderr
    assert (folder / "t.yaml").read_text() == text


def test_another_fix_of_the_same_resource_does_not_excuse_it(folder: Path) -> None:
    text = (
        "version: 1\ntopics: {a: {owner: x, partitions: 5, replication: 3,"
        " config: {min.insync.replicas: 3, unclean.leader.election.enable: true}}}\n"
        "environments: {prod: {topics: {a: {replication: 5}}}}\n"
    )
    (folder / "t.yaml").write_text(text)
    validate("--fix", "--rule", "KT106")
    assert (folder / "t.yaml").read_text() == text.replace("enable: true", "enable: false")


def test_a_profile_is_left_alone_if_one_of_its_topics_does_not_need_the_fix(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = rule_that_edits("KT950", "2", finds="1", topic="a")
    reason = "b uses the value, too, and does not need the fix"
    assert fixed(folder, monkeypatch, rule, text=SHARED) == ("1", [reason])


def test_two_edits_of_one_place_do_not_both_win(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = rule_that_edits("KT950", "2", finds="1"), rule_that_edits("KT951", "3", finds="1")
    assert fixed(folder, monkeypatch, first, second)[0] == "2"


def test_a_finding_that_a_fix_causes_is_fixed_with_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = [rule_that_edits(f"KT95{n}", str(n + 1), finds=str(n)) for n in (1, 2, 3)]
    assert fixed(folder, monkeypatch, *rules) == ("4", [])
    assert fixed(folder, monkeypatch, *rules, text=SHARED, environment="dev") == ("4", [])


def test_a_chain_of_fixes_without_an_end_changes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = [rule_that_edits(f"KT95{n}", str(n + 1), finds=str(n)) for n in range(1, 9)]
    text, reasons = fixed(folder, monkeypatch, *rules)
    assert (text, reasons) == ("1", ["it would cause KT952 on a"])


def test_a_shorter_session_gets_a_shorter_heartbeat(folder: Path) -> None:
    text = (
        "version: 1\ntopics: {a: {owner: x, partitions: 6, replication: 3}}\nconsumerGroups:\n  g:\n    topics: [a]\n"
        "    config: {session.timeout.ms: 10m, heartbeat.interval.ms: 3m, max.poll.interval.ms: 15m}\n"
    )
    (folder / "t.yaml").write_text(text)
    result = CliRunner().invoke(main, ["validate", "t.yaml", "--fix"])
    assert (folder / "t.yaml").read_text() == text.replace("10m", "5m").replace("3m,", "100s,")
    assert "fixed KT505 g at t.yaml:6:34: 10m -> 5m" in result.stderr
    assert "fixed KT504 g at t.yaml:6:61: 3m -> 100s" in result.stderr
    assert "not fixed" not in result.stderr


def test_edits_that_undo_each_other_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there, back = rule_that_edits("KT950", "2", finds="1"), rule_that_edits("KT951", "1", finds="2")
    text, reasons = fixed(folder, monkeypatch, there, back)
    assert text == "1"
    assert reasons == ["it would cause KT951 on a"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1", "the finding would remain"),
        ("zwei", "the files would no longer load"),
        ("[", "the YAML would no longer parse"),
        ("2, owner: 1", "the files would no longer load"),
        ("2}, b: {partitions: 3", "a value elsewhere in the file would change"),
    ],
)
def test_a_bad_edit_is_rolled_back_with_the_reason(
    text: str, reason: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, reasons = fixed(folder, monkeypatch, rule_that_edits("KT950", text, finds="1"))
    assert written == "1"
    assert reason in reasons[0]


def test_one_bad_edit_does_not_keep_the_good_ones_back(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad = rule_that_edits("KT950", "2", finds="1"), rule_that_edits("KT951", "zwei", finds="2")
    text, reasons = fixed(folder, monkeypatch, good, bad)
    assert (text, reasons) == ("1", ["it would cause KT951 on a"])


def test_a_file_that_changed_meanwhile_is_not_overwritten(folder: Path) -> None:
    file = folder / "t.yaml"
    file.write_text(BAD)
    fixes = find_fixes(file, None, lambda rule: rule == "KT101", lambda outcome: outcome.findings)
    file.write_text(BAD + "# mine\n")
    with pytest.raises(FileChanged, match=r"t\.yaml changed while fixes were computed; nothing was written"):
        write_fixes(fixes)
    assert file.read_text() == BAD + "# mine\n"


def at(line: int, column: int, end: int) -> Location:
    return Location("f", line, column, line, end)


def test_edits_are_applied_by_line_and_column_whatever_the_line_ends() -> None:
    text = "a: é1\r\nb: 2\n\u2028c: 3\r"
    edits = [Edit(at(1, 4, 6), "x"), Edit(at(2, 4, 5), "y\nz"), Edit(at(1, 4, 6), "x")]
    assert apply_edits(text, edits) == "a: x\r\nb: y\r\nz\n\u2028c: 3\r"


def test_overlapping_edits_are_told_from_equal_and_neighbouring_ones() -> None:
    assert overlap(Edit(at(1, 1, 5), "a"), Edit(at(1, 4, 6), "b"))
    assert overlap(Edit(at(1, 1, 5), "a"), Edit(at(1, 1, 5), "b"))
    assert not overlap(Edit(at(1, 1, 5), "a"), Edit(at(1, 1, 5), "a"))
    assert not overlap(Edit(at(1, 1, 5), "a"), Edit(at(1, 5, 6), "b"))


def test_added_lines_are_allowed_where_they_are_added_only() -> None:
    before = "a:\n  b: 1\nc: 2\n"
    assert changed_elsewhere(before, "a:\n  b: 1\n  d: 3\nc: 2\n", [Edit(Location("f", 2, 7, 2, 7), "\n  d: 3")]) == ""
    assert changed_elsewhere(before, "a:\n  b: 1\nc: 3\n", [Edit(at(2, 6, 7), "1")])


@pytest.mark.parametrize(
    ("more", "name", "raised"),
    [
        ("", "delivery.timeout.ms", "2m"),
        (", transactionalId: x", "delivery.timeout.ms", "1m"),
        (", delivery: exactly-once, transactionalId: x", "delivery.timeout.ms", "1m"),
        (", transactionalId: x, library: kafka-python", "delivery_timeout_ms", "1m"),
        (", transactionalId: x, library: librdkafka", "message.timeout.ms", "1m"),
    ],
)
def test_a_delivery_is_not_raised_above_its_transaction(more: str, name: str, raised: str, folder: Path) -> None:
    text = "version: 1\ntopics: {a: {owner: x, partitions: 6, replication: 3}}\n"
    text += f"producers: {{w: {{topics: [a], owner: x{more}, config: {{{name}: 10s}}}}}}\n"
    (folder / "t.yaml").write_text(text)
    shown = CliRunner().invoke(main, ["validate", "t.yaml", "--rule", "KT405"]).stdout
    assert f"set {name} to {raised}: what one attempt leaves of it is for retries" in " ".join(shown.split())
    result = CliRunner().invoke(main, ["validate", "t.yaml", "--fix"])
    assert "not fixed" not in result.output
    assert (folder / "t.yaml").read_text() == text.replace("10s", raised)


def test_a_delivery_takes_all_of_a_transaction_that_only_one_attempt_fits(folder: Path) -> None:
    text = "version: 1\ntopics: {a: {owner: x, partitions: 6, replication: 3}}\nproducers: {w: {topics: [a], owner: x,"
    text += " transactionalId: x, config: {transaction.timeout.ms: 30s, linger.ms: 0, delivery.timeout.ms: 10s}}}\n"
    (folder / "t.yaml").write_text(text)
    result = CliRunner().invoke(main, ["validate", "t.yaml", "--fix"])
    assert "not fixed" not in result.output
    assert (folder / "t.yaml").read_text() == text.replace("delivery.timeout.ms: 10s", "delivery.timeout.ms: 30s")
