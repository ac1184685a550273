"""Severity, options, suppressions, and rules that fail."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kafka_topology.topology import Severity, Topology, load
from kafka_topology.topology.model.places import Location
from kafka_topology.validators import Context, Option, Outcome, Problem, Rule, builtin_rules, run

BY_ID = {rule.id: rule for rule in builtin_rules()}


def topology_of(folder: Path, text: str, environment: str | None = None) -> Topology:
    file = folder / "topology.yaml"
    file.write_text(text)
    loaded = load(file, environment)
    assert loaded.topology is not None, [f"{p.location}: {p.message}" for p in loaded.problems]
    return loaded.topology


def rule_of(check: object, *options: Option, enabled: bool = True, rule_id: str = "KT950") -> Rule:
    return Rule(
        id=rule_id,
        name="a-test",
        severity=Severity.ERROR,
        summary="s",
        why="w",
        fix="f",
        check=check,  # type: ignore[arg-type]
        good=(),
        bad=(),
        options=options,
        enabled=enabled,
    )


def each_topic(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        yield Problem(f"{topic.name} {context.options}", topic.place("partitions"), topic.name, "do")


def found(outcome: Outcome, rule: str = "KT950") -> list[tuple[str, int]]:
    return [(f.resource, f.location.line) for f in outcome.findings if f.id == rule]


ONE = "version: 1\ntopics:\n  a: {partitions: 1, replication: 3}\n"


def test_severity_and_options_per_rule_and_environment(tmp_path: Path) -> None:
    text = (
        ONE
        + "rules: {KT950: {severity: warning, max: 7}}\nenvironments: {dev: {rules: {KT950: {severity: off}}},"
        + " prod: {rules: {KT950: {max: 9}}}}\n"
    )
    rule = rule_of(each_topic, Option("max", 1, "m"))
    base = run(topology_of(tmp_path, text), rules=[rule]).findings[0]
    assert (base.severity, base.message) == (Severity.WARNING, "a {'max': 7}")
    assert run(topology_of(tmp_path, text, "dev"), rules=[rule]).findings == ()
    assert run(topology_of(tmp_path, text, "prod"), rules=[rule]).findings[0].message == "a {'max': 9}"


def test_an_unknown_option_is_found_where_it_is_with_a_suggestion(tmp_path: Path) -> None:
    topology = topology_of(tmp_path, ONE + "rules:\n  KT950: {mx: 7}\n")
    finding = run(topology, rules=[rule_of(each_topic, Option("max", 1, "m"))]).findings
    problem = next(f for f in finding if f.id == "KT002")
    assert (problem.location.line, problem.location.column) == (5, 11)
    assert problem.fix == "did you mean `max`?"


def test_an_option_of_the_wrong_type_is_found_and_the_default_is_used(tmp_path: Path) -> None:
    topology = topology_of(tmp_path, ONE + 'rules:\n  KT950: {max: "7", names: [1], on: 3, part: text}\n')
    rule = rule_of(
        each_topic,
        Option("max", 1, "m"),
        Option("names", ("x",), "n"),
        Option("on", True, "o"),
        Option("part", 0.5, "p"),
    )
    findings = run(topology, rules=[rule]).findings
    assert [f.message for f in findings if f.id == "KT003"] == [
        "KT950: `max` is `7`; expected a whole number",
        "KT950: `names` is a list; expected a list of text",
        "KT950: `on` is `3`; expected true or false",
        "KT950: `part` is `text`; expected a number",
    ]
    assert "'max': 1" in next(f.message for f in findings if f.id == "KT950")


def test_an_option_with_a_unit_is_read_and_another_unit_is_refused(tmp_path: Path) -> None:
    def longest(context: Context) -> Iterator[Problem]:
        topic = context.topology.topics["a"]
        yield Problem(f"{context.amount('longest')} ms", topic.place(), topic.name, "f")

    rule = rule_of(longest, Option("longest", "30s", "l", measure="duration"))
    for written, expected in (("{severity: error}", ["30000 ms"]), ("{longest: 2m}", ["120000 ms"])):
        found = run(topology_of(tmp_path, ONE + f"rules: {{KT950: {written}}}\n"), rules=[rule]).findings
        assert [f.message for f in found] == expected
    for written in ("30", "1MiB", "soon"):
        found = run(topology_of(tmp_path, ONE + f"rules: {{KT950: {{longest: {written}}}}}\n"), rules=[rule]).findings
        expected = [f"KT950: `longest` is `{written}`; expected a duration such as 30s or 7d", "30000 ms"]
        assert sorted(f.message for f in found) == sorted(expected)
    found = run(topology_of(tmp_path, ONE + "rules: {KT950: {longest: {a: 1}}}\n"), rules=[rule]).findings
    assert "a mapping; expected a duration" in " ".join(f.message for f in found)


def test_an_unknown_rule_is_found_with_a_suggestion(tmp_path: Path) -> None:
    findings = run(topology_of(tmp_path, ONE + "rules:\n  KT119: {severity: off}\n"), rules=[]).findings
    assert [(f.id, f.location.line, f.fix[:12]) for f in findings] == [("KT006", 5, "did you mean")]


def test_a_rule_that_is_off_by_default_is_turned_on_by_its_severity_or_options(tmp_path: Path) -> None:
    rule = rule_of(each_topic, Option("max", 1, "m"), enabled=False)
    assert found(run(topology_of(tmp_path, ONE), rules=[rule])) == []
    for setting in ("{severity: error}", "{max: 3}"):
        assert found(run(topology_of(tmp_path, ONE + f"rules: {{KT950: {setting}}}\n"), rules=[rule])) == [("a", 3)]


@pytest.mark.parametrize(
    ("error", "said"), [(RuntimeError("bad\x1b luck"), "RuntimeError: bad luck"), (SystemExit(0), "SystemExit: 0")]
)
def test_a_crashing_rule_becomes_a_finding_and_the_run_goes_on(tmp_path: Path, error: BaseException, said: str) -> None:
    def crash(context: Context) -> Iterator[Problem]:
        yield from each_topic(context)
        raise error

    outcome = run(topology_of(tmp_path, ONE), rules=[rule_of(crash), rule_of(each_topic, rule_id="KT951")])
    assert [f.message for f in outcome.findings if "failed" in f.message] == [f"the rule itself failed: {said}"]
    assert found(outcome, "KT951") == [("a", 3)]
    assert outcome.ran == {"KT951"}


def test_a_crashing_rule_names_the_resource_that_it_looked_at(tmp_path: Path) -> None:
    def crash(context: Context) -> Iterator[Problem]:
        for topic in context.topology.topics.values():
            yield from (
                Problem("never", topic.place(), topic.name, "f") for _ in range(1 // (topic.partitions - 2)) if _
            )

    text = ONE + "  b: {partitions: 2, replication: 3}\n"
    [finding] = run(topology_of(tmp_path, text), rules=[rule_of(crash)]).findings
    assert finding.message == (
        "the rule itself failed, probably at the topic b: ZeroDivisionError: integer division or modulo by zero"
    )
    assert (finding.resource, finding.kind, finding.location.line, finding.rule_failed) == ("b", "topic", 4, True)


TWO = """\
version: 1
topics:
  a:
    partitions: 1
    replication: 3
    ignore: {KT950: known}
  b: {partitions: 1, replication: 3}
"""


def test_ignore_on_a_resource_silences_it_there_only(tmp_path: Path) -> None:
    outcome = run(topology_of(tmp_path, TWO), rules=[rule_of(each_topic)])
    assert found(outcome) == [("b", 7)]
    assert [(s.finding.resource, s.by.reason, s.by.location.line) for s in outcome.suppressed] == [("a", "known", 6)]


def test_a_comment_at_the_end_of_a_line_is_about_that_line(tmp_path: Path) -> None:
    text = "version: 1\ntopics:\n  a:\n    partitions: 1 # kafka-topology: ignore KT950 known\n    replication: 3\n"
    assert found(run(topology_of(tmp_path, text), rules=[rule_of(each_topic)])) == []
    moved = text.replace("1 # kafka-topology: ignore KT950 known", "1").replace(
        "replication: 3", "replication: 3 # kafka-topology: ignore KT950 known"
    )
    assert found(run(topology_of(tmp_path, moved), rules=[rule_of(each_topic)])) == [("a", 4)]


def test_a_comment_alone_is_about_the_next_line_and_the_whole_resource_it_declares(tmp_path: Path) -> None:
    text = """\
version: 1
topics:
  # kafka-topology: ignore KT950 known
  # and another comment

  a:
    replication: 3
    partitions: 1
  b:
    # kafka-topology: ignore KT950 known
    replication: 3
    partitions: 1
environments:
  prod: {topics: {a: {partitions: 2}}}
"""
    assert found(run(topology_of(tmp_path, text), rules=[rule_of(each_topic)])) == [("b", 12)]
    assert found(run(topology_of(tmp_path, text, "prod"), rules=[rule_of(each_topic)])) == [("b", 12)]


def kt011(folder: Path, text: str, *rules: Rule) -> list[tuple[str, int, str]]:
    outcome = run(topology_of(folder, text), rules=[*rules, BY_ID["KT011"]])
    return [(f.severity.value, f.location.line, f.message) for f in outcome.findings if f.id == "KT011"]


def test_a_suppression_needs_a_reason(tmp_path: Path) -> None:
    text = ONE.replace("3}", "3} # kafka-topology: ignore KT950")
    [(severity, line, message)] = kt011(tmp_path, text, rule_of(each_topic))
    assert (severity, line) == ("error", 3)
    assert "without a reason" in message


def test_an_unused_suppression_is_a_warning_but_only_when_its_rule_ran(tmp_path: Path) -> None:
    nothing = rule_of(lambda _: iter(()))
    assert [(s, n) for s, n, _ in kt011(tmp_path, TWO, nothing)] == [("warning", 6)]
    off = TWO + "rules: {KT950: {severity: off}}\n"
    assert kt011(tmp_path, off, nothing) == []


def test_a_profiles_ignore_is_used_when_one_topic_needs_it(tmp_path: Path) -> None:
    text = """\
version: 1
profiles:
  p:
    replication: 3
    ignore: {KT950: known}
topics:
  a: {profile: p, partitions: 1}
  b: {profile: p, partitions: 1}
"""

    def only_b(context: Context) -> Iterator[Problem]:
        return (p for p in each_topic(context) if p.resource == "b")

    assert kt011(tmp_path, text, rule_of(only_b)) == []
    assert len(kt011(tmp_path, text, rule_of(lambda _: iter(())))) == 1


def test_a_suppression_of_an_unknown_rule_suggests_one(tmp_path: Path) -> None:
    text = ONE.replace("3}", "3} # kafka-topology: ignore KT0101 why")
    outcome = run(topology_of(tmp_path, text), rules=[BY_ID["KT011"]])
    assert outcome.findings[0].fix.startswith("did you mean `KT")


BOTH = """\
version: 1
topics:
  same: {partitions: 1, replication: 3, ignore: {KT950: known}}
consumerGroups:
  same: {topics: [same], members: 3}
"""


def test_a_topic_and_a_group_of_one_name_are_told_apart(tmp_path: Path) -> None:
    def both(context: Context) -> Iterator[Problem]:
        yield from each_topic(context)
        for group in context.topology.consumer_groups.values():
            yield Problem("group", group.place("members"), group.name, "do")

    outcome = run(topology_of(tmp_path, BOTH), rules=[rule_of(both)])
    assert [(f.kind, f.resource) for f in outcome.findings] == [("group", "same")]
    assert [(s.finding.kind, s.finding.resource) for s in outcome.suppressed] == [("topic", "same")]


def test_a_rule_may_say_the_kind_itself(tmp_path: Path) -> None:
    def check(context: Context) -> Iterator[Problem]:
        yield Problem("m", Location("x.yaml", 1, 1, 1, 2), "same", "do", kind="group")

    assert run(topology_of(tmp_path, BOTH), rules=[rule_of(check)]).findings[0].kind == "group"


def test_rules_can_be_selected(tmp_path: Path) -> None:
    outcome = run(
        topology_of(tmp_path, ONE),
        rules=[rule_of(each_topic), rule_of(each_topic, rule_id="KT951")],
        select=lambda rule: rule == "KT951",
    )
    assert {f.id for f in outcome.findings} == {"KT951"}


def test_a_second_suppression_of_the_same_finding_is_reported_as_such(tmp_path: Path) -> None:
    text = (
        "version: 1\ntopics:\n  a:\n    partitions: 1\n    replication: 3\n    ignore: {KT101: known}\n"
        "    config:\n      min.insync.replicas: 3 # kafka-topology: ignore KT101 known\n"
    )
    outcome = run(topology_of(tmp_path, text), rules=[BY_ID["KT101"], BY_ID["KT011"]])
    (finding,) = outcome.findings
    assert (finding.id, finding.location.line, finding.related[0].location.line) == ("KT011", 8, 6)
    assert "but the suppression on line 6 applies instead" in finding.message


def test_min_isr_above_the_replicas_says_what_happens(tmp_path: Path) -> None:
    text = "version: 1\ntopics: {a: {partitions: 1, replication: 1, config: {min.insync.replicas: 2}}}\n"
    (finding,) = run(topology_of(tmp_path, text), rules=[BY_ID["KT101"]]).findings
    assert finding.message == (
        "a: min.insync.replicas is 2 with 1 replica, so older brokers refuse every acks=all write,"
        " and newer ones stop it when one broker is lost; expected more replicas"
    )


def test_a_rule_id_is_suggested_only_if_it_is_close(tmp_path: Path) -> None:
    topology = topology_of(tmp_path, ONE + "rules: {KT1234: {severity: off}, KT1O1: {severity: off}}\n")
    assert [finding.fix for finding in run(topology).findings if finding.id == "KT006"] == [
        "correct the id, or install the pack that has the rule",
        "did you mean `KT101`?",
    ]


def test_the_caret_is_below_the_name_that_is_wrong(tmp_path: Path) -> None:
    text = (
        'version: 1\ntopics: {"a\\u202e/": {partitions: 1, replication: 3}}\n'
        "rules: {KT1234: {max: 1}, KT211: {maxx: 1}}\n"
    )
    findings = [f for f in run(topology_of(tmp_path, text)).findings if f.id in ("KT002", "KT006", "KT008")]
    places = [(f.id, f.location.line, f.location.column, f.location.end_column) for f in findings]
    assert places == [("KT008", 2, 10, 20), ("KT006", 3, 9, 15), ("KT002", 3, 35, 39)]
    assert findings[0].message.startswith("aU+202E/: the name contains `U+202E/`; expected only")
