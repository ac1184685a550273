"""Runs rules over a topology and returns findings. No cluster, no disk, no clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from ..topology.effective import EffectiveSettings
from ..topology.findings import Finding, Related, Severity, in_reading_order
from ..topology.model import Topology
from ..topology.places import Place
from .changes import Changes
from .custom import custom_rules, looks_custom
from .indexes import Index
from .registry import RulePacks, installed_rules
from .resources import Resources
from .rule import Context, Problem, Rule
from .settings import Configured, configured, setting_problems, unknown_rule
from .suppressions import Suppressed, Suppressions

BROKEN_PACK = "KT000"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run found, what the files silence of it, and which rules there are and which of them ran to the end."""

    findings: tuple[Finding, ...]
    suppressed: tuple[Suppressed, ...]
    rules: tuple[Rule, ...]
    ran: frozenset[str]


def validate(
    topology: Topology, *, before: Topology | None = None, rules: Iterable[Rule] | None = None
) -> tuple[Finding, ...]:
    """Every finding of every rule that is on. With `before`, the rules about changes run as well."""
    return run(topology, before=before, rules=rules).findings


def run(
    topology: Topology,
    *,
    before: Topology | None = None,
    rules: Iterable[Rule] | None = None,
    select: Callable[[str], bool] = lambda _: True,
) -> Outcome:
    """Runs the rules that are on and that `select` takes by their id: the installed ones, or `rules`."""
    packs = installed_rules() if rules is None else RulePacks(tuple(rules))
    known = {rule.id: rule for rule in (*installed_rules().rules, *packs.rules)}
    custom, findings = custom_rules(topology, known)
    known |= {rule.id: rule for rule in custom}
    findings += _setting_problems(topology, known, {rule.id for rule in custom})
    findings += [_broken(pack.name, pack.reason, topology) for pack in packs.broken]

    wanted = [
        configured(rule, topology.rules.get(rule.id))
        for rule in (*packs.rules, *custom)
        if select(rule.id) and rule.found_by != "audit" and (before is not None or not rule.about_changes)
    ]
    runner = _Runner(topology, before, set(known))
    runner.run(rule for rule in wanted if rule.severity is not None)
    return Outcome(
        in_reading_order(findings + runner.findings),
        tuple(sorted(runner.suppressed, key=lambda suppressed: suppressed.finding.sort_key)),
        tuple(sorted((*packs.rules, *custom), key=lambda rule: rule.id)),
        frozenset(runner.ran),
    )


class _Runner:
    """One run: the rules one after the other, those about suppressions last."""

    def __init__(self, topology: Topology, before: Topology | None, known: set[str]) -> None:
        self.findings: list[Finding] = []
        self.suppressed: list[Suppressed] = []
        self.ran: set[str] = set()
        self._resources = Resources(topology)
        self._suppressions = Suppressions(topology, self.ran, known)
        settings = EffectiveSettings(topology)
        index = Index(topology, settings)
        self._context = Context(
            topology,
            settings,
            index,
            before=before,
            compared=Changes(before, topology, index) if before is not None else None,
            suppressions=self._suppressions,
        )

    def run(self, rules: Iterable[Configured]) -> None:
        for configured_rule in sorted(rules, key=lambda each: each.rule.about_suppressions):
            rule = configured_rule.rule
            try:
                for finding in self._found(configured_rule):
                    self._keep(finding, rule)
                self.ran.add(rule.id)
            except Exception as error:  # noqa: BLE001 - a crashing rule becomes a finding, and the run goes on
                self.findings.append(_crashed(rule, error, self._context.topology))

    def _found(self, configured_rule: Configured) -> Iterator[Finding]:
        rule, severity = configured_rule.rule, configured_rule.severity
        assert severity is not None  # noqa: S101 - rules that are off do not run
        for problem in rule.check(replace(self._context, options=configured_rule.options)):
            yield self._finding(rule, severity, problem)

    def _keep(self, finding: Finding, rule: Rule) -> None:
        suppression = None if rule.about_suppressions else self._suppressions.of(finding)
        if suppression is None:
            self.findings.append(finding)
        else:
            self.suppressed.append(Suppressed(finding, suppression))

    def _finding(self, rule: Rule, severity: Severity, problem: Problem) -> Finding:
        kind = self._resources.kind_of(problem)
        related = problem.related
        message = problem.message
        location = problem.at
        if isinstance(location, Place):
            if location.is_inherited:
                message = f"{message} (set by {location})"
                sufferer = self._resources.declaration(kind, problem.resource)
                if sufferer is not None and sufferer.location != location.location:
                    related = (*related, Related(sufferer.location, f"{problem.resource} inherits it"))
            location = location.location
        return Finding(
            rule.id,
            problem.severity if problem.severity is not None and severity is rule.severity else severity,
            message,
            location,
            problem.resource,
            problem.remediation,
            related,
            problem.edits,
            kind=kind,
        )


def _setting_problems(topology: Topology, known: dict[str, Rule], custom: set[str]) -> list[Finding]:
    findings: list[Finding] = []
    for setting in topology.rules.values():
        if setting.id in custom:
            continue
        rule = known.get(setting.id)
        if rule is not None:
            findings.extend(setting_problems(setting, rule))
        elif not looks_custom(setting):
            findings.append(unknown_rule(setting, known))
    return findings


def _broken(name: str, reason: str, topology: Topology) -> Finding:
    return Finding(
        BROKEN_PACK,
        Severity.ERROR,
        f"the rule pack {name} cannot be loaded, so none of its rules ran: {reason}",
        topology.location,
        name,
        "mend or remove the distribution that offers it",
    )


def _crashed(rule: Rule, error: Exception, topology: Topology) -> Finding:
    return Finding(
        rule.id,
        Severity.ERROR,
        f"the rule itself failed: {type(error).__name__}: {error}",
        topology.location,
        remediation="this is a fault of the rule: report it, or turn the rule off",
    )
