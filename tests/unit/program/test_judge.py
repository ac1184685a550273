"""The rules on what a Pulumi program declares: resource by resource, as the engine checks them."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import pytest

from kafka_topology.program.judge import ProgramJudge
from kafka_topology.provider.config.rule_choices import Ignore, RuleChoices
from kafka_topology.provider.config.settings import Owned
from kafka_topology.provider.desired.resources import desired_resources
from kafka_topology.provider.plugin.judging import Verdict, judged
from kafka_topology.provider.plugin.properties import UNKNOWN, Properties, Secret
from kafka_topology.provider.resources.access import inputs as acls
from kafka_topology.provider.resources.group import inputs as groups
from kafka_topology.provider.resources.topic import inputs as topics
from kafka_topology.topology import Topology, load
from kafka_topology.validators import Bad, Rule, builtin_rules, validate

RULES = builtin_rules()
FOR_PARTS = [rule for rule in RULES if rule.judges_parts]
EXAMPLES = [
    *(pytest.param(rule, text, {}, id=f"{rule.id}-good-{n}") for rule in RULES for n, text in enumerate(rule.good)),
    *(
        pytest.param(rule, bad.yaml, dict(bad.more_files), id=f"{rule.id}-bad-{n}")
        for rule in RULES
        for n, bad in enumerate(rule.bad)
    ),
]
BAD = [pytest.param(rule, bad, id=f"{rule.id}-{n}") for rule in FOR_PARTS for n, bad in enumerate(rule.bad)]
PLUGIN = "the plugin itself"  # refuses some faults without any rule
REFUSED_BY_PLUGIN = {"KT007", "KT008"}
PARTLY_REFUSED_BY_PLUGIN = {"KT621"}  # it knows that the cluster has one name
# Some examples set options of rules, which a provider's config has not.
WITH_OPTIONS = {"KT012", "KT016", "KT211", "KT213", "KT218", "KT301", "KT319", "KT508", "KT524"}
_CHECKS = {
    "Topic": partial(topics.check, owned=None),
    "ConsumerGroup": partial(groups.GROUP_INPUTS.check, owned=None),
    "Access": partial(acls.check, owned=Owned()),
}


class Program:
    """A program whose resources are judged one after the other."""

    def __init__(self, choices: RuleChoices | None = None) -> None:
        self._run = ProgramJudge().begin(choices or RuleChoices())

    def check(self, kind: str, name: str, given: Properties, old: Properties | None = None) -> tuple[Verdict, ...]:
        inputs = given
        if kind in _CHECKS:
            checked = _CHECKS[kind](name, {}, given)
            assert checked.failures == ()
            inputs = checked.inputs
        token = f"kafka-topology:index:{kind}"
        return self._run.judge(
            judged(token, f"urn:{kind}:{name}", name, old=old or {}, inputs=inputs, given=given),
        )

    def topic(self, resource: str, old: Properties | None = None, **given: object) -> tuple[Verdict, ...]:
        return self.check("Topic", resource, {"partitions": 6, "replication": 3, **given}, old)

    def group(self, name: str, **given: object) -> tuple[Verdict, ...]:
        return self.check("ConsumerGroup", name, given)


def unsafe(**others: object) -> dict[str, object]:
    return {"config": {"min.insync.replicas": "3"}, **others}


def found(verdicts: tuple[Verdict, ...]) -> list[tuple[str, str, bool]]:
    return [(verdict.reason.split()[0], verdict.property, verdict.refuses) for verdict in verdicts]


def test_an_error_names_the_rule_the_property_and_the_fix() -> None:
    (verdict,) = Program().topic("orders", **unsafe())
    assert verdict == Verdict(
        'config["min.insync.replicas"]',
        "KT101 orders: min.insync.replicas is 3 with 3 replicas, so one lost broker stops every acks=all writer;"
        " expected at most 2. Fix: set min.insync.replicas to 2, or raise replication above 3.",
        refuses=True,
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"replication": 1}, [("KT103", "replication", True)]),
        ({"replication": 2}, [("KT105", "replication", False)]),
        (
            {"config": {"cleanup.policy": "compact"}, "keyType": "none"},
            [("KT208", "keyType", True)],
        ),
        ({"config": {"cleanup.policy": "compact"}}, [("KT208", "name", False)]),
        ({"config": {"retention.sm": "1"}}, [("KT301", 'config["retention.sm"]', True)]),
        ({"config": {"retention.ms": "soon"}}, [("KT302", 'config["retention.ms"]', True)]),
        ({"config": {"log.retention.ms": "1000"}}, [("KT314", 'config["log.retention.ms"]', True)]),
        (
            {"config": {"unclean.leader.election.enable": "true"}},
            [("KT106", 'config["unclean.leader.election.enable"]', False)],
        ),
    ],
)
def test_a_topic_is_judged_by_its_own_values(given: Properties, expected: object) -> None:
    assert found(Program().topic("orders", **given)) == expected


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"config": {"retention.ms": "3600000"}},  # the brokers' segment.ms is not known
        {"config": {"cleanup.policy": "compact,delete"}, "keyType": "uuid"},  # nor their retention
        {"config": {"max.message.bytes": "20000000"}},
        {"config": {"message.format.version": "3.0"}},  # the cluster may be old enough for it
    ],
    ids=lambda given: ",".join(given.get("config", {"plain": ""})),
)
def test_what_nobody_declared_is_no_evidence(given: Properties) -> None:
    program = Program()
    assert program.topic("orders", **given) == ()
    assert program.group("billing", topics=["orders"]) == ()


def test_rules_of_access_name_the_rule_in_the_order_of_the_program() -> None:
    rules = [
        {"resource": "topic", "name": "orders", "operations": ["Write"]},
        {"resource": "group", "name": "*", "operations": ["Read"]},
        {"resource": "topic", "name": "__consumer_offsets", "operations": ["Read", "Write"]},
    ]
    assert found(Program().check("Access", "User:a", {"rules": rules})) == [
        ("KT602", "rules[1].name", True),
        ("KT614", "rules[2].name", True),
    ]
    everybody = Program().check("Access", "User:*", {"rules": rules[:1]})
    assert found(everybody) == [("KT602", "principal", True)]


def test_users_and_quotas_are_accepted() -> None:
    program = Program()
    user = {"name": "a", "mechanism": "SCRAM-SHA-512", "password": Secret("x"), "iterations": 8192}
    assert program.check("User", "a", user) == ()
    assert program.check("Quota", "a", {"user": "a", "producerByteRate": 1000, "requestPercentage": 12.5}) == ()
    assert program.check("Quota", "b", {"user": UNKNOWN, "producerByteRate": 1000}) == ()


def test_a_group_is_judged_with_the_topics_that_are_known() -> None:
    program = Program()
    assert program.topic("orders", partitions=3) == ()
    assert found(program.group("a", assign={"orders": [0, 7]})) == [("KT513", 'assign["orders"][1]', True)]
    assert program.group("b", assign={"orders": [0, 1]}) == ()
    assert program.group("c", assign={"payments": [99]}) == ()


def test_the_later_of_two_that_contradict_each_other_is_refused_once() -> None:
    program = Program()
    assert program.group("a", assign={"orders": [0, 7]}) == ()
    assert found(program.topic("orders", partitions=3)) == [("KT513", "", True)]
    assert program.topic("orders", partitions=8) == ()
    assert program.topic("shop.orders") == ()
    assert found(program.topic("shop_orders")) == [("KT009", "name", True)]


def test_findings_of_a_neighbour_are_not_repeated() -> None:
    program = Program()
    assert found(program.topic("orders", **unsafe())) == [("KT101", 'config["min.insync.replicas"]', True)]
    assert program.group("a", topics=["orders"]) == ()


def test_what_has_not_changed_is_warned_of_and_what_has_is_refused() -> None:
    same = {"name": "orders", "partitions": 6, "replication": 3, "deletion": "protected", **unsafe()}
    (verdict,) = Program().topic("orders", same, **unsafe())
    assert not verdict.refuses
    assert "has not changed" in verdict.reason
    (verdict,) = Program().topic("orders", {**same, "partitions": 3}, **unsafe())
    assert verdict.refuses


@pytest.mark.parametrize("name", ["name", "partitions", "replication", "config"])
def test_a_value_that_is_not_known_is_skipped(name: str) -> None:
    assert Program().topic("orders", **unsafe(**{name: UNKNOWN})) == ()


def test_a_value_that_is_not_known_hides_no_other() -> None:
    config = {"min.insync.replicas": "3", "retention.ms": UNKNOWN}
    assert found(Program().topic("orders", config=config)) == [("KT101", 'config["min.insync.replicas"]', True)]
    rules = [UNKNOWN, {"resource": "topic", "name": UNKNOWN, "operations": ["Read"]}]
    rules += [{"resource": "topic", "name": "*", "operations": ["Read"]}]
    assert found(Program().check("Access", "User:a", {"rules": rules})) == [("KT602", "rules[2].name", True)]


def test_a_secret_value_is_judged_and_not_shown() -> None:
    (verdict,) = Program().topic("orders", config={"retention.ms": Secret("hunter2")})
    assert verdict.refuses
    assert verdict.reason.startswith("KT302 The value of a topic setting has the wrong type")
    assert "hunter2" not in verdict.reason


def test_severities_are_those_of_the_provider() -> None:
    assert found(Program(RuleChoices(severity={"KT101": "warning"})).topic("a", **unsafe()))[0][2] is False
    assert found(Program(RuleChoices(severity={"KT101": "off"})).topic("a", **unsafe())) == []
    assert found(Program(RuleChoices(severity={"KT105": "error"})).topic("a", replication=2))[0][2] is True


@pytest.mark.parametrize(("resource", "ignored"), [("shop.orders", True), ("shop.*", True), ("bank.*", False)])
def test_an_ignored_finding_is_silent(resource: str, ignored: bool) -> None:
    program = Program(RuleChoices(ignore=(Ignore("KT101", resource, "tried"),)))
    assert (program.topic("orders", name="shop.orders", **unsafe()) == ()) is ignored
    assert found(program.topic("shop.orders", replication=1)) == [("KT103", "replication", True)]


def test_choices_that_name_no_rule_are_refused() -> None:
    choices = RuleChoices(severity={"KT11": "off", "KT104": "error", "KT520": "off"}, ignore=(Ignore("X", "a", "b"),))
    reasons = {failure.property: failure.reason for failure in ProgramJudge().wrong_choices(choices)}
    assert set(reasons) == {'rules.severity["KT11"]', 'rules.severity["KT104"]', "rules.ignore[0].rule"}
    assert "there is no rule 'KT11'. Did you mean 'KT" in reasons['rules.severity["KT11"]']
    assert "whole topology" in reasons['rules.severity["KT104"]']


def topology(folder: Path, text: str, more: dict[str, str] | None = None) -> Topology | None:
    (folder / "order.schema.json").write_text("{}")
    for name, other in {**(more or {}), "topology.yaml": text}.items():
        (folder / name).write_text(other)
    return load(folder / "topology.yaml").topology


def judged_in_parts(whole: Topology) -> dict[tuple[str, str], tuple[str, bool]]:
    """By rule and resource, the property and whether it is refused."""
    program = Program()
    verdicts: dict[tuple[str, str], tuple[str, bool]] = {}
    for desired in desired_resources(whole):
        if desired.kind in _CHECKS and _CHECKS[desired.kind](desired.name, {}, desired.inputs).failures:
            verdicts[PLUGIN, desired.name] = "", True
            continue
        for rule, at, refuses in found(program.check(desired.kind, desired.name, desired.inputs)):
            verdicts[rule, desired.name] = at, refuses
    return verdicts


@pytest.mark.parametrize(("rule", "text", "more_files"), EXAMPLES)
def test_what_is_found_in_a_part_is_found_in_the_whole(
    rule: Rule, text: str, more_files: dict[str, str], tmp_path: Path
) -> None:
    """Of every example of every rule: a program never fails where the same topology passes."""
    whole = topology(tmp_path, text, more_files)
    if rule.found_by == "loader" and text not in rule.good:
        assert whole is None
        return
    assert whole is not None
    if whole.rules:
        assert rule.id in WITH_OPTIONS
        return
    known = {finding.id for finding in validate(whole)}
    parts = judged_in_parts(whole)
    assert {rule for rule, _ in parts} - {PLUGIN} <= known
    if text in rule.good:
        assert rule.id not in {rule for rule, _ in parts}


@pytest.mark.parametrize(("rule", "bad"), BAD)
def test_a_bad_example_of_a_rule_for_parts_is_found(rule: Rule, bad: Bad, tmp_path: Path) -> None:
    whole = topology(tmp_path, bad.yaml, dict(bad.more_files))
    assert whole is not None
    found_by = {name for name, _ in judged_in_parts(whole)}
    finders = {PLUGIN} if rule.id in REFUSED_BY_PLUGIN else {rule.id}
    if rule.id in PARTLY_REFUSED_BY_PLUGIN:
        finders.add(PLUGIN)
    assert bool(finders & found_by) is not bad.needs_whole


@pytest.mark.parametrize("rule", FOR_PARTS, ids=lambda rule: rule.id)
def test_a_rule_for_parts_has_an_example_that_is_one(rule: Rule) -> None:
    assert not all(bad.needs_whole for bad in rule.bad)


def test_a_thousand_topics_cost_well_under_a_second() -> None:
    program = Program()
    program.topic("first")  # loads the rules
    config = {"min.insync.replicas": "2", "retention.ms": "86400000", "cleanup.policy": "delete"}
    started = time.process_time()
    for number in range(1000):
        assert program.topic(f"shop.topic-{number}", config=config) == ()
    assert time.process_time() - started < 1.0
