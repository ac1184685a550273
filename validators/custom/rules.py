"""Rules that a team writes in its topology, under `rules:`, as expressions on the resolved model.

rules:
  KT901:
    for: topics
    when: topic.visibility == 'public'
    expect: topic.partitions % 3 == 0
    message: public topics have a multiple of three partitions
    fix: choose 3, 6, 9 or 12
    severity: warning
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from kafka_topology.topology.kafka.effective import EffectiveSettings
from kafka_topology.topology.kafka.secrets import names_secret
from kafka_topology.topology.model.declared import Declared, RuleSetting, Topology
from kafka_topology.topology.model.findings import Finding, Severity
from kafka_topology.topology.model.places import Place
from kafka_topology.topology.model.words import did_you_mean

from ..engine.naming import is_own
from ..engine.resources import CLUSTER
from ..engine.rule import Context, Problem, Rule
from .errors import error_finding, wrong
from .expressions import MAX_LENGTH, MOST_EXPRESSIONS, Expression, Judgement, judge
from .fields import instead_of, unknown_in_has
from .values import Values, cluster_values, section_values

FIELDS = ("for", "expect", "when", "message", "fix", "remediation", "name")  # `remediation` is the old name of `fix`
# The values of `for:`, each with the kind of resource, which is also the name of the expression's variable.
KINDS = {
    "topics": "topic",
    "producers": "producer",
    "consumerGroups": "group",
    "shareGroups": "shareGroup",
    "streams": "streams",
    "users": "user",
    "cluster": CLUSTER,
}
_STEP = r"(?:\.[A-Za-z_]\w*(?![\w(])|\[(?:'[^']*'|\"[^\"]*\")\])"


def looks_custom(setting: RuleSetting) -> bool:
    """Whether the entry declares a rule, rather than options of an existing one."""
    return any(name in setting.options for name in ("for", "expect", "when"))


def custom_rules(topology: Topology, known: Mapping[str, Rule]) -> tuple[tuple[Rule, ...], list[Finding]]:
    """The rules that the topology declares, and the findings about those declarations."""
    findings: list[Finding] = []
    expressions: dict[str, Expression] = {}
    settings: list[RuleSetting] = []
    for setting in topology.rules.values():
        if setting.id in known or not looks_custom(setting):
            continue
        problems = list(_problems(setting))
        findings += problems
        if not problems:
            settings.append(setting)
            expressions[setting.id] = _expression(setting)
    if len(settings) > MOST_EXPRESSIONS:
        return (), [*findings, _too_many(settings)]
    judgements = _Judgements(topology, [expressions[s.id] for s in settings if s.severity != "off"])
    return tuple(_rule(setting, expressions[setting.id], judgements) for setting in settings), findings


def declaration_problems(rules: Iterable[RuleSetting], known: Mapping[str, Rule]) -> list[Finding]:
    """What is wrong with the declared rules, without a topology to run them on."""
    findings: list[Finding] = []
    declared: dict[str, tuple[RuleSetting, Expression]] = {}
    for setting in rules:
        if setting.id in known or not looks_custom(setting):
            continue
        problems = list(_problems(setting))
        findings += problems
        if not problems:
            declared[setting.id] = setting, _expression(setting)
    if len(declared) > MOST_EXPRESSIONS:
        return [*findings, _too_many([setting for setting, _ in declared.values()])]
    no_resources: Mapping[str, Mapping[str, Values]] = {section: {} for section in KINDS}
    judged = judge([expression for _, expression in declared.values()], no_resources, {CLUSTER: {}})
    for setting_id, judgement in judged.items():
        if judgement.error is not None:
            setting, expression = declared[setting_id]
            problem = error_finding(setting, expression, judgement.error, {})
            at = setting.location if isinstance(problem.at, Place) else problem.at
            findings.append(wrong(setting_id, setting, at, problem.message, problem.fix))
    return findings


def _too_many(settings: Sequence[RuleSetting]) -> Finding:
    last = settings[-1]
    message = f"{len(settings):,} expression rules are declared, and none of them ran; expected at most"
    at = last.name_place().location
    return wrong("KT003", last, at, f"{message} {MOST_EXPRESSIONS:,}", "declare fewer, or write a rule pack in Python")


def _problems(setting: RuleSetting) -> Iterator[Finding]:
    if is_own(setting.id):
        message = f"{setting.id} is reserved for built-in rules; expected KT900 to KT999, or your own prefix"
        at = setting.name_place().location
        yield wrong("KT003", setting, at, message, "choose another id, such as KT901 or SHOP-1")
        return
    for name, value in setting.options.items():
        at = setting.place(name).location
        if name not in FIELDS:
            fix = did_you_mean(name, FIELDS) or f"an expression rule takes {', '.join(FIELDS)} and severity"
            message = f"{setting.id}: an expression rule has no field `{name}`"
            yield wrong("KT002", setting, setting.name_place(name).location, message, fix)
        elif not isinstance(value, str) or not value.strip():
            yield wrong("KT003", setting, at, f"{setting.id}: expected text for `{name}`", "write it in quotes")
        elif name == "for" and value not in KINDS:
            fix = did_you_mean(value, KINDS) or "choose one of them"
            message = f"{setting.id}: `for` is `{value}`; expected one of {', '.join(KINDS)}"
            yield wrong("KT003", setting, at, message, fix)
        elif len(value) > MAX_LENGTH:
            message = f"{setting.id}: `{name}` has {len(value):,} characters; expected at most {MAX_LENGTH:,}"
            yield wrong("KT003", setting, at, message, "split the rule into several, or write a rule pack in Python")
    for name in ("for", "expect"):
        if name not in setting.options:
            message = f"{setting.id}: `{name}` is missing"
            fix = f"add `for:`, one of {', '.join(KINDS)}" if name == "for" else "add `expect:`, an expression"
            yield wrong("KT003", setting, setting.location, message, fix)
    yield from _never_true(setting)


def _never_true(setting: RuleSetting) -> Iterator[Finding]:
    """Tests with has() for fields that the language does not have: they would switch the rule off silently."""
    section = setting.options.get("for")
    if section not in KINDS:
        return
    for part in ("when", "expect"):
        text = setting.options.get(part)
        if not isinstance(text, str):
            continue
        for path, step, fields in unknown_in_has(str(section), KINDS[str(section)], text):
            message = f"{setting.id}: has({'.'.join(path)}) is never true: there is no field `{step}`"
            near = instead_of(step, path[0]) or did_you_mean(step, fields)
            fix = near or f"use one of {', '.join(sorted(fields))}"
            yield wrong("KT002", setting, setting.place(part).location, message, fix)


def _expression(setting: RuleSetting) -> Expression:
    section = str(setting.options["for"])
    when = setting.options.get("when")
    return Expression(
        setting.id, section, KINDS[section], str(setting.options["expect"]), str(when) if when is not None else None
    )


@dataclass
class _Judgements:
    """Evaluates all expressions together, when the first of their rules runs."""

    topology: Topology
    expressions: list[Expression]

    @cached_property
    def settings(self) -> EffectiveSettings:
        return EffectiveSettings(self.topology)

    @cached_property
    def resources(self) -> dict[str, dict[str, Values]]:
        """By section. An expression about the cluster may use everything."""
        wanted = {expression.section for expression in self.expressions}
        sections = [name for name in KINDS if name != CLUSTER and (name in wanted or CLUSTER in wanted)]
        resources = {name: section_values(self.topology, self.settings, name) for name in sections}
        if CLUSTER in wanted:
            resources[CLUSTER] = {CLUSTER: {**cluster_values(self.topology, self.settings), **resources}}
        return resources

    @cached_property
    def by_id(self) -> dict[str, Judgement]:
        shared = {CLUSTER: cluster_values(self.topology, self.settings)}
        return judge(self.expressions, self.resources, shared)


def _rule(setting: RuleSetting, expression: Expression, judgements: _Judgements) -> Rule:
    message = str(setting.options.get("message", f"expected {expression.expect}"))
    options = setting.options
    fix = str(options.get("fix") or options.get("remediation") or f"change it to satisfy {expression.expect}")
    return Rule(
        id=setting.id,
        name=str(setting.options.get("name", setting.id.lower())),
        severity=Severity.ERROR if setting.severity in (None, "off") else Severity(setting.severity),
        summary=message,
        why=f"This topology requires `{expression.expect}` for every {expression.variable}.",
        fix=fix,
        check=_check(setting, expression, judgements, message, fix),
        judges_placeholders=True,
        good=(),
        bad=(),
    )


def _check(
    setting: RuleSetting, expression: Expression, judgements: _Judgements, message: str, fix: str
) -> Callable[[Context], Iterator[Problem]]:
    def check(context: Context) -> Iterator[Problem]:
        judgement = judgements.by_id[expression.id]
        paths = _paths(expression)
        for name in judgement.failed:
            values = judgements.resources[expression.section][name]
            resource = _resource(context.topology, expression.section, name)
            at = resource.place(*paths[0]) if paths else resource.place()
            shown = ", ".join(f"{'.'.join(path)} is {_value(values, path)}" for path in paths)
            yield Problem(
                f"{name}: {message}" + (f" ({shown})" if shown else ""),
                at,
                name,
                fix,
                kind=expression.variable,
            )
        if judgement.error is not None:
            yield error_finding(setting, expression, judgement.error, judgements.resources[expression.section])

    return check


def _resource(topology: Topology, section: str, name: str) -> Declared:
    declared: Mapping[str, Mapping[str, Declared]] = {
        "topics": topology.topics,
        "producers": topology.producers,
        "consumerGroups": topology.consumer_groups,
        "shareGroups": topology.share_groups,
        "streams": topology.streams,
        "users": topology.users,
    }
    return topology.cluster if section == CLUSTER else declared[section][name]


def _paths(expression: Expression) -> list[tuple[str, ...]]:
    """The values that `expect` uses, such as `topic.key.type`. The finding points at the first."""
    found = re.findall(rf"\b{expression.variable}((?:{_STEP})+)", expression.expect)
    paths = (tuple(re.findall(r"[^.\[\]'\"]+(?:\.[^\[\]'\"]+(?='\]|\"\]))?", steps)) for steps in found)
    return [path for path in dict.fromkeys(paths) if path and path != ("name",)]


def _value(values: Values, path: tuple[str, ...]) -> str:
    held: object = values
    for step in path:
        if not isinstance(held, dict) or step not in held:
            return "not declared"
        held = held[step]
    if path and names_secret(path[-1]):
        return "not shown, because it may be a secret"
    if isinstance(held, bool):
        return str(held).lower()
    if isinstance(held, list):
        return f"[{', '.join(map(str, held))}]" if len(held) <= 5 else f"a list of {len(held)}"
    return f"a mapping of {len(held)}" if isinstance(held, dict) else str(held)
