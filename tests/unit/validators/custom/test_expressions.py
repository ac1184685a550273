"""Rules that a topology declares itself, as expressions."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from kafka_topology.topology import Finding, Severity, load
from kafka_topology.topology.model.declared import RuleSetting
from kafka_topology.validators import run
from kafka_topology.validators.custom import expressions as expressions_module
from kafka_topology.validators.custom.expressions import Expression, judge
from kafka_topology.validators.custom.rules import KINDS

TOPICS = """\
topics:
  shop.orders: {partitions: 7, replication: 3, visibility: public, retention: 1d}
  shop.pays: {partitions: 6, replication: 3, owner: pay, key: {type: uuid}}
producers:
  checkout: {topics: [shop.orders], principal: User:a, transactionalId: tx}
consumerGroups:
  billing: {topics: [shop.orders], members: 4}
streams:
  enrich: {reads: [shop.orders], writes: [shop.pays]}
users:
  checkout: {mechanism: SCRAM-SHA-512, password: {secret: p}}
"""


def findings(folder: Path, rules: str, rest: str = TOPICS) -> list[Finding]:
    file = folder / "topology.yaml"
    file.write_text(f"version: 1\nrules:\n{rules}\n{rest}")
    loaded = load(file)
    assert loaded.topology is not None, [f"{p.location}: {p.message}" for p in loaded.problems]
    return list(run(loaded.topology, rules=[]).findings)


def test_an_expression_judges_each_topic_and_states_the_actual_value(tmp_path: Path) -> None:
    rule = (
        "  KT901: {for: topics, expect: topic.partitions % 3 == 0, message: a multiple of three,"
        " fix: choose 6, severity: warning}"
    )
    [found] = findings(tmp_path, rule)
    assert (found.id, found.severity, found.resource, found.kind) == ("KT901", Severity.WARNING, "shop.orders", "topic")
    assert found.message == "shop.orders: a multiple of three (partitions is 7)"
    assert found.fix == "choose 6"
    assert (found.location.line, found.location.column) == (5, 29)


LOOKS = [
    ("topics", "topic.config['retention.ms'] > 86400000", ["shop.orders"]),
    ("topics", "topic.config['min.insync.replicas'] == 2", ["shop.orders", "shop.pays"]),
    ("topics", "has(topic.key) && topic.key.type == 'uuid'", ["shop.orders"]),
    ("topics", "topic.config['cleanup.policy'] == ['delete']", []),
    ("producers", "producer.config['acks'] == 'all' && producer.transactionalId == 'x'", ["checkout"]),
    ("consumerGroups", "group.members <= 3 || group.config['enable.auto.commit']", []),
    ("consumerGroups", "group.members <= 3", ["billing"]),
    ("streams", "streams.name == 'enrich' && size(streams.writes) == 0", ["enrich"]),
    ("users", "user.mechanism == 'SCRAM-SHA-256'", ["checkout"]),
    ("cluster", "cluster.topics.all(name, name.startsWith('shop.'))", []),
    ("cluster", "size(cluster.topics) < 2", ["cluster"]),
    ("cluster", "cluster.config['auto.create.topics.enable'] == false", ["cluster"]),
    ("topics", "cluster.kafka == '4.1'", []),
]


def test_what_an_expression_can_look_at(tmp_path: Path) -> None:
    rules = [f'  KT9{n:02}: {{for: {section}, expect: "{expect}"}}' for n, (section, expect, _) in enumerate(LOOKS)]
    found = findings(tmp_path, "\n".join(rules))
    assert [f.message for f in found if "could not be evaluated" in f.message] == []
    for n, (_, expect, names) in enumerate(LOOKS):
        assert (expect, sorted(f.resource for f in found if f.id == f"KT9{n:02}")) == (expect, names)


def test_when_limits_a_rule(tmp_path: Path) -> None:
    rule = "  SHOP-1: {for: topics, when: has(topic.owner), expect: topic.owner == 'x'}"
    assert [f.resource for f in findings(tmp_path, rule)] == ["shop.pays"]


ERRORS = [
    ("topic.partitions >> 3", 51, "is not a CEL expression", "correct"),
    ("topc.partitions > 3", 32, "there is no variable `topc`", "did you mean `topic`?"),
    ("topic.partition > 3", 32, "there is no field `partition`", "did you mean `partitions`?"),
    ("topic.owner == 'pay'", 32, "`owner` is not declared there", "has(topic.owner)"),
    ("topic.description == 'a'", 32, "`description` is not declared there", "has(topic.description)"),
    ("topic.headers.required == []", 32, "`headers` is not declared there", "has(topic.headers)"),
    ("topic.retention > 3", 32, "there is no field `retention`", "use topic.config['retention.ms']"),
    ("topic.name + 3 == 4", 32, "string + int", "correct"),
    ("topic.partitions", 32, "gives a value of type int", "compare"),
    ("topic.partitions / 0 == 1", 32, "division by zero", "correct"),
    ("nope(topic) == 1", 32, "nope", "correct"),
]


def test_errors_are_located_and_explained(tmp_path: Path) -> None:
    rules = [f'  KT9{n:02}: {{for: topics, expect: "{each[0]}", severity: warning}}' for n, each in enumerate(ERRORS)]
    found = findings(tmp_path, "\n".join(rules))
    assert len(found) == len(ERRORS)
    for n, (_, column, message, fix) in enumerate(ERRORS):
        problem = next(f for f in found if f.id == f"KT9{n:02}")
        assert problem.severity is Severity.ERROR, "an expression that cannot be evaluated is never a mere warning"
        assert message in problem.message
        assert fix in problem.fix
        assert (problem.location.line, problem.location.column) == (3 + n, column)


@pytest.mark.parametrize(
    ("fields", "rule", "message"),
    [
        ("{for: topic, expect: x}", "KT003", "expected one of topics"),
        ("{expect: x}", "KT003", "`for` is missing"),
        ("{for: topics, expects: x}", "KT002", "no field `expects`"),
        ("{for: topics, expect: 3}", "KT003", "expected text for `expect`"),
        (
            "{for: topics, when: has(topic.retentoin), expect: 'false'}",
            "KT002",
            "is never true: there is no field `reten",
        ),
        ("{for: topics, expect: '!has(topic.key.typ)'}", "KT002", "has(topic.key.typ) is never true"),
        ("{for: topics, expect: '!has(cluster.kafak)'}", "KT002", "there is no field `kafak`"),
        ("{for: cluster, expect: '!has(cluster.topcs)'}", "KT002", "there is no field `topcs`"),
    ],
)
def test_wrong_declarations_are_found(fields: str, rule: str, message: str, tmp_path: Path) -> None:
    found = findings(tmp_path, f"  KT901: {fields}")
    assert any(f.id == rule and message in f.message and f.location.line == 3 for f in found)


@pytest.mark.parametrize(
    ("section", "expression"),
    [
        ("topics", "!has(topic.description) || has(topic.key.schema) || has(cluster.limits) || has(topic.config)"),
        ("producers", "has(producer.principal) || !has(producer.transactionalId)"),
        ("streams", "has(streams.internalTopics.replication) || true"),
        ("cluster", "has(cluster.topics) && has(cluster.config)"),
        ("topics", "topic.name != 'has(topic.nothing)'"),
    ],
)
def test_has_may_ask_for_fields_that_nobody_declares(section: str, expression: str, tmp_path: Path) -> None:
    found = findings(tmp_path, f'  KT901: {{for: {section}, expect: "{expression}"}}')
    assert [f.message for f in found if "is never true" in f.message or "could not" in f.message] == []


def test_the_products_own_ids_cannot_be_taken(tmp_path: Path) -> None:
    [found] = findings(tmp_path, "  KT850: {for: topics, expect: 'true'}")
    assert "reserved for built-in rules" in found.message


NESTED = "[0,1,2,3,4,5,6,7,8,9].map(a," * 12 + "1" + ")" * 12
DOUBLED = "['xxxxxxxxxxxxxxxx']" + ".map(a,a+a)" * 60


@pytest.mark.parametrize("hostile", [NESTED, DOUBLED])
def test_a_hostile_expression_is_stopped_and_the_others_are_judged(hostile: str) -> None:
    started = os.times().children_user
    judged = judge(
        [
            Expression("A", "topics", "topic", f"{hostile} == 1"),
            Expression("B", "topics", "topic", "topic.n == 1"),
        ],
        {"topics": {"t": {"n": 2}}},
        {},
        limit=0.5,
    )
    assert os.times().children_user - started < 5
    error = judged["A"].error
    assert error is not None
    assert error.kind in ("timeout", "crash")
    assert judged["B"].failed == ("t",)


def test_an_expression_that_is_too_long_is_refused(tmp_path: Path) -> None:
    found = findings(tmp_path, f'  KT901: {{for: topics, expect: "{"1 + " * 2000}1 == 1"}}')
    assert "expected at most 4,000" in found[0].message


def test_an_expression_rule_can_be_silenced_and_turned_off(tmp_path: Path) -> None:
    rule = "  KT901: {for: topics, expect: topic.partitions == 6}"
    ignored = TOPICS.replace("retention: 1d", "retention: 1d, ignore: {KT901: known}")
    assert [finding.id for finding in findings(tmp_path, rule)] == ["KT901"]
    assert findings(tmp_path, rule, ignored) == []
    assert findings(tmp_path, rule.replace("}", ", severity: off}")) == []


@pytest.mark.parametrize("hostile", [NESTED, DOUBLED])
def test_any_number_of_hostile_expressions_shares_one_limit(hostile: str) -> None:
    expressions = [Expression(str(number), "topics", "topic", f"{hostile} == 1") for number in range(200)]
    started = os.times().children_user
    judged = judge(expressions, {"topics": {"t": {"n": 2}}}, {}, limit=0.5)
    assert os.times().children_user - started < 5
    kinds = [judgement.error.kind for judgement in judged.values() if judgement.error is not None]
    assert (len(kinds), kinds[-1]) == (200, "together")
    assert set(kinds[:3]) <= {"timeout", "crash"}


def test_expressions_that_are_slow_together_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expressions_module, "LIMIT_TOGETHER", 0.05)
    monkeypatch.setattr(expressions_module, "TOGETHER_PER_RESOURCE", 0)
    slow = "[0,1,2,3,4,5,6,7,8,9].all(a," * 3 + "true" + ")" * 3
    judged = judge(
        [Expression(str(number), "topics", "topic", slow) for number in range(1000)], {"topics": {"t": {}}}, {}
    )
    assert judged["0"].error is None
    last = judged["999"].error
    assert last is not None
    assert last.kind == "together"


def test_too_many_expressions_are_refused_without_running_one(tmp_path: Path) -> None:
    rules = "\n".join(f"  X-{number}: {{for: topics, expect: 'false'}}" for number in range(2001))
    [found] = findings(tmp_path, rules)
    assert found.id == "KT003"
    assert found.message == "2,001 expression rules are declared, and none of them ran; expected at most 2,000"


SHOP = Path(__file__).parents[3] / "data" / "shop" / "topology.yaml"  # uses every field of the language


@pytest.mark.parametrize("section", KINDS)
def test_every_field_of_the_language_can_be_given_to_an_expression(section: str) -> None:
    topology = load(SHOP).topology
    assert topology is not None
    rule = RuleSetting(place=topology.place, id="KT999", options={"for": section, "expect": "true"})
    result = run(replace(topology, rules={"KT999": rule}), rules=[])
    assert [f.message for f in result.findings if f.id == "KT999"] == []


def test_a_share_is_a_number(tmp_path: Path) -> None:
    topics = (
        "topics:\n  a: {partitions: 7, replication: 3, key: {type: uuid}, checks: {order: {maxViolations: 0.1%}}}\n"
    )
    rule = "  KT901: {for: topics, expect: topic.checks.order.maxViolations > 0.002}"
    [found] = findings(tmp_path, rule, topics)
    assert found.message.endswith("(checks.order.maxViolations is 0.001)")
