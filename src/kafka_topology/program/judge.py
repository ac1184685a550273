"""Runs the rules on a Pulumi program, resource by resource.

The Pulumi engine checks one resource after the other, so the whole program is never known. Only rules that can judge a
part run, on the current resource and on related ones that were checked before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from kafka_topology.provider.config.rule_choices import RuleChoices
from kafka_topology.provider.plugin.judging import Judged, Run, Verdict
from kafka_topology.provider.resources.changes import CheckFailure
from kafka_topology.topology.model.words import nearest

if TYPE_CHECKING:
    from kafka_topology.provider.resources.parts import Part
    from kafka_topology.topology.model.findings import Finding
    from kafka_topology.validators import Rule

_UNCHANGED = " It is a warning only because the resource has not changed: its next change is refused until it is fixed."


class ProgramJudge:
    """Loads the rules on first use, because they would delay the start of the plugin."""

    def wrong_choices(self, choices: RuleChoices) -> Iterator[CheckFailure]:
        named = [(f'rules.severity["{rule}"]', rule, chosen) for rule, chosen in choices.severity.items()]
        named += [(f"rules.ignore[{index}].rule", each.rule, "off") for index, each in enumerate(choices.ignore)]
        rules = _installed_rules() if named else {}
        for at, name, chosen in named:
            if name not in rules:
                successor = next((rule.id for rule in rules.values() if name in rule.replaces), None)
                near = successor or nearest(name, rules)
                hint = f"Did you mean '{near}'?" if near else "'kafka-topology rules' lists all rules."
                yield CheckFailure(at, f"there is no rule '{name}'. {hint}")
            elif chosen != "off" and not rules[name].judges_parts:
                yield CheckFailure(
                    at,
                    f"{name} needs to see a whole topology, so it never judges a program and cannot be {chosen!r} here:"
                    " remove it.",
                )

    def begin(self, choices: RuleChoices) -> Run:
        return ProgramRun(choices)


@dataclass(slots=True)
class _Known:
    """A checked resource, and the findings about it, alone or together with earlier resources."""

    part: Part
    found: frozenset[tuple[str, str]] = frozenset()


@dataclass(slots=True)
class ProgramRun:
    """Remembers the resources of one run, by name and by the topics they read, to find related ones."""

    choices: RuleChoices
    _known: dict[str, _Known] = field(default_factory=dict)
    _near: dict[tuple[str, str], dict[str, None]] = field(default_factory=dict)

    def judge(self, resource: Judged) -> tuple[Verdict, ...]:
        from kafka_topology.program.parts import part_of  # noqa: PLC0415 - loaded with the rules

        self._forget(resource.urn)
        part = part_of(resource)
        if part is None:
            return ()
        others = {urn: self._known[urn] for key in _looks_for(part) for urn in self._near.get(key, ())}
        found = self._found(part, [known.part for known in others.values()])
        self._remember(part, frozenset((each.id, each.message) for each in found))
        return tuple(self._verdicts(part, others, found))

    def _found(self, part: Part, others: Iterable[Part]) -> tuple[Finding, ...]:
        """Puts the part last, because rules blame the later one of two that conflict."""
        from kafka_topology.program.parts import NOWHERE, topology_of  # noqa: PLC0415
        from kafka_topology.topology.model.declared import RuleSetting  # noqa: PLC0415
        from kafka_topology.validators import run  # noqa: PLC0415

        settings = {
            rule: RuleSetting(place=NOWHERE, id=rule, severity=severity)
            for rule, severity in self.choices.severity.items()
        }
        return run(topology_of([*others, part], settings), part=True).findings

    def _verdicts(self, part: Part, others: Mapping[str, _Known], found: Iterable[Finding]) -> Iterator[Verdict]:
        for finding in found:
            other = others.get(finding.location.file)
            if other is not None and (finding.id, finding.message) in other.found:
                continue  # reported when that resource was checked
            about = other.part if other is not None else part
            if finding.severity == "advice" or any(self._ignores(finding.id, each) for each in (part, about)):
                continue
            unchanged = part.source.is_unchanged and about.source.is_unchanged
            is_error = finding.severity == "error"
            at = part.properties.at(finding.location) if finding.location.file == part.urn else ""
            reason = _reason(finding, hide=part.source.is_secret or about.source.is_secret)
            yield Verdict(at, reason + (_UNCHANGED if is_error and unchanged else ""), is_error and not unchanged)

    def _ignores(self, rule: str, part: Part) -> bool:
        names = (part.name, part.source.name)
        return any(
            each.rule == rule and any(fnmatchcase(name, each.resource) for name in names)
            for each in self.choices.ignore
        )

    def _remember(self, part: Part, found: frozenset[tuple[str, str]]) -> None:
        self._known[part.urn] = _Known(part, found)
        for key in _is_found_by(part):
            self._near.setdefault(key, {})[part.urn] = None

    def _forget(self, urn: str) -> None:
        """Forgets the earlier declaration: the engine checks a replaced resource again, and the last one counts."""
        known = self._known.pop(urn, None)
        for key in _is_found_by(known.part) if known is not None else ():
            self._near.get(key, {}).pop(urn, None)


def _looks_for(part: Part) -> Iterator[tuple[str, str]]:
    """Keys of related resources: topics that a group reads, topics with similar names, and groups that read a topic."""
    if part.topic is not None:
        yield "topic like", _alike(part.topic)
        yield "reads", part.topic
    for name in part.reads:
        yield "topic", name


def _is_found_by(part: Part) -> Iterator[tuple[str, str]]:
    if part.topic is not None:
        yield "topic like", _alike(part.topic)
        yield "topic", part.topic
    for name in part.reads:
        yield "reads", name


def _alike(topic: str) -> str:
    """The same text for topics whose names collide in Kafka's metrics, which replace `.` with `_`."""
    return topic.replace(".", "_")


def _reason(finding: Finding, *, hide: bool) -> str:
    """Messages of rules show values, so a resource with secrets gets the rule's summary instead."""
    if hide:
        rule = _installed_rules().get(finding.id)
        summary = rule.summary if rule is not None else "a rule found a fault."
        hidden = f"Values are hidden, as some are secret. Fix: see 'kafka-topology explain {finding.id}'."
        return f"{finding.id} {summary} {hidden}"
    end = "" if finding.fix.endswith(("?", ".")) else "."
    return f"{finding.id} {finding.message}. Fix: {finding.fix}{end}"


def _installed_rules() -> Mapping[str, Rule]:
    from kafka_topology.validators import installed_rules  # noqa: PLC0415

    return {rule.id: rule for rule in installed_rules().rules}
