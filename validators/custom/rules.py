"""Rules that a team writes in its topology, under `rules:`, as an expression over the resolved model.

rules:
  KT901:
    for: topics
    when: topic.visibility == 'public'
    expect: topic.partitions % 3 == 0
    message: public topics have a multiple of three partitions
    remediation: choose 3, 6, 9 or 12
    severity: warning
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ..topology.effective import EffectiveSettings
from ..topology.findings import Finding, Severity
from ..topology.model import Declared, RuleSetting, Topology
from .custom_errors import error_finding, wrong
from .expressions import MAX_LENGTH, Expression, Judgement, judge
from .naming import did_you_mean, is_own
from .resources import CLUSTER
from .rule import Context, Problem, Rule
from .values import Values, cluster_values, section_values

FIELDS = ("for", "expect", "when", "message", "remediation", "name")
# What `for:` takes: the kind of resource, which is also the name of the expression's variable.
KINDS = {
    "topics": "topic",
    "producers": "producer",
    "consumerGroups": "group",
    "streams": "streams",
    "users": "user",
    "cluster": CLUSTER,
}
_STEP = r"(?:\.[A-Za-z_]\w*(?![\w(])|\[(?:'[^']*'|\"[^\"]*\")\])"


def looks_custom(setting: RuleSetting) -> bool:
    """Whether it declares a rule, instead of setting the options of one that exists."""
    return any(name in setting.options for name in ("for", "expect", "when"))


def custom_rules(topology: Topology, known: Mapping[str, Rule]) -> tuple[tuple[Rule, ...], list[Finding]]:
    """The rules that the topology itself declares, and what is wrong with those declarations."""
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
    judgements = _Judgements(topology, [expressions[s.id] for s in settings if s.severity != "off"])
    return tuple(_rule(setting, expressions[setting.id], judgements) for setting in settings), findings


def _problems(setting: RuleSetting) -> Iterator[Finding]:
    if is_own(setting.id):
        message = f"{setting.id} is one of the product's own ids; expected KT900 to KT999, or a prefix of your own"
        yield wrong("KT003", setting, setting.location, message, "choose another id, such as KT901 or SHOP-1")
        return
    for name, value in setting.options.items():
        at = setting.place(name).location
        if name not in FIELDS:
            remedy = did_you_mean(name, FIELDS) or f"an expression rule takes {', '.join(FIELDS)} and severity"
            yield wrong("KT002", setting, at, f"{setting.id}: an expression rule has no field `{name}`", remedy)
        elif not isinstance(value, str) or not value.strip():
            yield wrong("KT003", setting, at, f"{setting.id}: expected text for `{name}`", "write it in quotes")
        elif name == "for" and value not in KINDS:
            remedy = did_you_mean(value, KINDS) or "choose one of them"
            message = f"{setting.id}: `for` is `{value}`; expected one of {', '.join(KINDS)}"
            yield wrong("KT003", setting, at, message, remedy)
        elif len(value) > MAX_LENGTH:
            message = f"{setting.id}: `{name}` has {len(value):,} characters; expected at most {MAX_LENGTH:,}"
            yield wrong("KT003", setting, at, message, "split the rule into several, or write a rule pack in Python")
    for name in ("for", "expect"):
        if name not in setting.options:
            message = f"{setting.id}: `{name}` is missing"
            remedy = f"add `for:`, one of {', '.join(KINDS)}" if name == "for" else "add `expect:`, an expression"
            yield wrong("KT003", setting, setting.location, message, remedy)


def _expression(setting: RuleSetting) -> Expression:
    section = str(setting.options["for"])
    when = setting.options.get("when")
    return Expression(
        setting.id, section, KINDS[section], str(setting.options["expect"]), str(when) if when is not None else None
    )


@dataclass
class _Judgements:
    """All expressions are judged together, when the first of their rules runs."""

    topology: Topology
    expressions: list[Expression]

    @cached_property
    def settings(self) -> EffectiveSettings:
        return EffectiveSettings(self.topology)

    @cached_property
    def resources(self) -> dict[str, dict[str, Values]]:
        """By section. An expression about the cluster may look at everything."""
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
    remediation = str(setting.options.get("remediation", f"change it so that this holds: {expression.expect}"))
    return Rule(
        id=setting.id,
        name=str(setting.options.get("name", setting.id.lower())),
        severity=Severity.ERROR if setting.severity in (None, "off") else Severity(setting.severity),
        summary=message,
        why=f"This topology asks for it: `{expression.expect}` must hold for every {expression.variable}.",
        fix=remediation,
        check=_check(setting, expression, judgements, message, remediation),
        good=(),
        bad=(),
    )


def _check(
    setting: RuleSetting, expression: Expression, judgements: _Judgements, message: str, remediation: str
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
                remediation,
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
        "streams": topology.streams,
        "users": topology.users,
    }
    return topology.cluster if section == CLUSTER else declared[section][name]


def _paths(expression: Expression) -> list[tuple[str, ...]]:
    """The values that `expect` looks at: `topic.key.type`, `topic.config['retention.ms']`; the first is at fault."""
    found = re.findall(rf"\b{expression.variable}((?:{_STEP})+)", expression.expect)
    paths = (tuple(re.findall(r"[^.\[\]'\"]+(?:\.[^\[\]'\"]+(?='\]|\"\]))?", steps)) for steps in found)
    return [path for path in dict.fromkeys(paths) if path and path != ("name",)]


def _value(values: Values, path: tuple[str, ...]) -> str:
    held: object = values
    for step in path:
        if not isinstance(held, dict) or step not in held:
            return "not declared"
        held = held[step]
    if isinstance(held, bool):
        return str(held).lower()
    if isinstance(held, list):
        return f"[{', '.join(map(str, held))}]" if len(held) <= 5 else f"a list of {len(held)}"
    return f"a mapping of {len(held)}" if isinstance(held, dict) else str(held)
