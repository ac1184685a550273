"""Runs rules on a topology and returns findings. It reads no cluster, no file and no clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from kafka_topology.topology.kafka.effective import EffectiveSettings
from kafka_topology.topology.model.declared import RuleSetting, Topology
from kafka_topology.topology.model.findings import Finding, Related, Severity, in_reading_order
from kafka_topology.topology.model.outside import described, outside_code
from kafka_topology.topology.model.places import Place
from kafka_topology.topology.model.words import TooManyNames

from ..custom.rules import custom_rules, declaration_problems, looks_custom
from ..facts.changes import Changes, SchemaHistory
from ..facts.indexes import Index
from .own_words import in_own_words
from .registry import RulePacks, installed_rules, retired_ids
from .resources import TITLES, Resources
from .rule import Context, Problem, Rule
from .run_time_values import RunTimeValues
from .settings import Configured, configured, retired_rule, setting_problems, settings_of_other_files, unknown_rule
from .suppressions import Suppressed, Suppressions

BROKEN_PACK = "KT000"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The findings of a run, those that the files suppress, all rules, and the ids of the rules that ran to the end."""

    findings: tuple[Finding, ...]
    suppressed: tuple[Suppressed, ...]
    rules: tuple[Rule, ...]
    ran: frozenset[str]

    @property
    def covered(self) -> frozenset[str]:
        """The ids whose findings this run would have: of the rules that ran, and retired ones that they replace."""
        return self.ran | {old for old, rule in retired_ids(self.rules).items() if rule in self.ran}


def validate(
    topology: Topology,
    *,
    before: Topology | None = None,
    rules: Iterable[Rule] | None = None,
    history: SchemaHistory = lambda _: None,
) -> tuple[Finding, ...]:
    """All findings of all rules that are on. With `before`, the rules about changes run too."""
    return run(topology, before=before, rules=rules, history=history).findings


def run(
    topology: Topology,
    *,
    before: Topology | None = None,
    rules: Iterable[Rule] | None = None,
    select: Callable[[str], bool] = lambda _: True,
    part: bool = False,
    history: SchemaHistory = lambda _: None,
) -> Outcome:
    """Runs the installed rules, or `rules`: those that are on and whose id `select` accepts.

    With `part`, the topology is only some resources of a larger one, and only rules that judge parts run.
    """
    packs = installed_rules() if rules is None else RulePacks(tuple(rules))
    known = {rule.id: rule for rule in (*installed_rules().rules, *packs.rules)}
    custom, findings = custom_rules(topology, known)
    known |= {rule.id: rule for rule in custom}
    findings += _setting_problems(topology.rules.values(), known, {rule.id for rule in custom})
    findings += [_broken(pack.name, pack.reason, topology) for pack in packs.broken]

    wanted = [
        configured(rule, topology.rules.get(rule.id))
        for rule in (*packs.rules, *custom)
        if (rule.judges_parts or not part)
        and select(rule.id)
        and not rule.is_live
        and (before is not None or not rule.about_changes)
    ]
    compared = (before, history) if before is not None else None
    runner = _Runner(topology, compared, known, part=part)
    runner.run(rule for rule in wanted if rule.severity is not None)
    return Outcome(
        in_reading_order(findings + runner.findings),
        tuple(sorted(runner.suppressed, key=lambda suppressed: suppressed.finding.sort_key)),
        tuple(sorted((*packs.rules, *custom), key=lambda rule: rule.id)),
        frozenset(runner.ran),
    )


class _Runner:
    """One run: the rules in order, those about suppressions last."""

    def __init__(
        self,
        topology: Topology,
        compared: tuple[Topology, SchemaHistory] | None,
        known: Mapping[str, Rule],
        *,
        part: bool,
    ) -> None:
        self.findings: list[Finding] = []
        self.suppressed: list[Suppressed] = []
        self.ran: set[str] = set()
        self._resources = Resources(topology)
        self._run_time_values = RunTimeValues(topology)
        self._suppressions = Suppressions(topology, self.ran, set(known), retired_ids(known.values()))
        settings = EffectiveSettings(topology, defaults_known=not part)
        index = Index(topology, settings)
        self._context = Context(
            topology,
            settings,
            index,
            before=compared[0] if compared is not None else None,
            compared=Changes(compared[0], topology, index, compared[1]) if compared is not None else None,
            suppressions=self._suppressions,
            is_part=part,
        )

    def run(self, rules: Iterable[Configured]) -> None:
        for configured_rule in sorted(rules, key=lambda each: each.rule.about_suppressions):
            rule = configured_rule.rule
            try:
                with outside_code():
                    for finding in self._found(configured_rule):
                        self._keep(finding, rule)
                self.ran.add(rule.id)
            except Exception as error:  # noqa: BLE001 - a crashing rule becomes a finding, and the run continues
                self.findings.append(self._crashed(rule, error))

    def _found(self, configured_rule: Configured) -> Iterator[Finding]:
        rule, severity = configured_rule.rule, configured_rule.severity
        assert severity is not None  # noqa: S101 - rules that are off do not run
        options = configured_rule.options
        for problem in rule.check(replace(self._context, options=options) if options else self._context):
            if rule.judges_placeholders or not self._run_time_values.decide(problem):
                yield self._finding(rule, severity, problem)

    def _crashed(self, rule: Rule, error: Exception) -> Finding:
        kind, name, resource = self._resources.looked_at(error)
        too_many = isinstance(error, TooManyNames)
        about = f", probably at the {TITLES[kind]} {name}" if resource is not None else ""
        return Finding(
            rule.id,
            Severity.ERROR,
            f"{rule.id} could not be checked: {error}"
            if too_many
            else f"the rule itself failed{about}: {described(error)}",
            self._context.topology.location if resource is None else resource.location,
            name,
            fix="correct the names, or remove some"
            if too_many
            else "report this bug of the rule, or turn the rule off",
            kind=kind,
            rule_failed=True,
        )

    def _keep(self, finding: Finding, rule: Rule) -> None:
        suppression = None if rule.about_suppressions else self._suppressions.of(finding)
        setting = self._context.topology.rules.get(rule.id) if rule.set_by_one_file else None
        if suppression is None:
            self.findings.append(finding)
        elif setting is not None and suppression.location.file != setting.name_place().location.file:
            refused = Related(
                suppression.location, f"only {Path(setting.name_place().location.file).name} can suppress {rule.id}"
            )
            self.findings.append(replace(finding, related=(*finding.related, refused)))
        else:
            self.suppressed.append(Suppressed(finding, suppression))

    def _finding(self, rule: Rule, severity: Severity, problem: Problem) -> Finding:
        kind = self._resources.kind_of(problem)
        declared = self._resources.declaration(kind, problem.resource)
        related = tuple(replace(each, message=in_own_words(each.message, declared)) for each in problem.related)
        message = in_own_words(problem.message, declared)
        location = problem.at
        if isinstance(location, Place):
            if location.is_inherited:
                message = f"{message} (set by {location})"
                if declared is not None and declared.location != location.location:
                    related = (*related, Related(declared.location, f"{problem.resource} inherits it"))
            location = location.location
        related = (*related, *self._resources.instance(kind, problem.resource))
        return Finding(
            rule.id,
            problem.severity if problem.severity is not None and severity is rule.severity else severity,
            message,
            location,
            problem.resource,
            in_own_words(problem.fix, declared),
            related,
            problem.edits,
            problem.evidence,
            kind=kind,
        )


def rule_problems(rules: Mapping[str, RuleSetting]) -> list[Finding]:
    """What is wrong under `rules:`, for files that are no topology, so that one run shows all mistakes."""
    known = {rule.id: rule for rule in installed_rules().rules}
    return declaration_problems(rules.values(), known) + _setting_problems(rules.values(), known, set())


def _setting_problems(settings: Iterable[RuleSetting], known: dict[str, Rule], custom: set[str]) -> list[Finding]:
    findings: list[Finding] = []
    retired = retired_ids(known.values())
    for setting in settings:
        if setting.id in custom:
            continue
        rule = known.get(setting.id)
        if rule is not None:
            findings.extend(setting_problems(setting, rule))
            findings.extend(settings_of_other_files(setting, rule))
        elif setting.id in retired:
            findings.append(retired_rule(setting, retired[setting.id]))
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
        "fix or uninstall the distribution that offers it",
    )
