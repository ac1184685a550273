"""What `rules:` says about each rule: its severity and its options, checked before any rule runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..topology.findings import Finding, Severity
from ..topology.model import RuleSetting
from .naming import did_you_mean
from .rule import Option, Rule


@dataclass(frozen=True, slots=True)
class Configured:
    """A rule as this topology wants it. `severity` is None when it is off."""

    rule: Rule
    severity: Severity | None
    options: Mapping[str, object]


def configured(rule: Rule, setting: RuleSetting | None) -> Configured:
    """Options that are unknown or of the wrong type are left at their default; `setting_problems` reports them."""
    options: dict[str, object] = {option.name: option.default for option in rule.options}
    severity = rule.severity if rule.enabled else None
    if setting is not None:
        for option in rule.options:
            if option.name in setting.options and fits(setting.options[option.name], option):
                options[option.name] = setting.options[option.name]
        if setting.severity is not None:
            severity = None if setting.severity == "off" else Severity(setting.severity)
        elif setting.options and not rule.enabled:
            severity = rule.severity  # who gives a rule its options wants it
    return Configured(rule, severity, options)


def setting_problems(setting: RuleSetting, rule: Rule) -> Iterator[Finding]:
    """Options that the rule does not have, or that are not what it takes."""
    options = {option.name: option for option in rule.options}
    for name, value in setting.options.items():
        at = setting.place(name).location
        option = options.get(name)
        if option is None:
            remedy = did_you_mean(name, [*options, "severity"]) or (
                f"{rule.id} takes severity{''.join(f', {known}' for known in options)}"
            )
            message = f"{rule.id} has no option `{name}`"
            yield Finding("KT002", Severity.ERROR, message, at, rule.id, remedy)
        elif not fits(value, option):
            expected = expected_type(option)
            message = f"{rule.id}: `{name}` is {_shown(value)}; expected {expected}"
            yield Finding("KT003", Severity.ERROR, message, at, rule.id, f"write {expected}; {option.doc}")


def unknown_rule(setting: RuleSetting, known: Mapping[str, Rule]) -> Finding:
    remedy = did_you_mean(setting.id, known) or "mend the id, or install the pack that has the rule"
    return Finding("KT006", Severity.ERROR, f"no rule is called `{setting.id}`", setting.location, setting.id, remedy)


def fits(value: object, option: Option) -> bool:
    """Whether a value is of the same type as the option's default; a default of None takes anything."""
    default = option.default
    if default is None:
        return True
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(default, bool) and isinstance(value, bool)
    if isinstance(default, float):
        return isinstance(value, int | float)
    if isinstance(default, tuple | list):
        item = next(iter(default), "")
        return isinstance(value, tuple) and all(isinstance(part, type(item)) for part in value)
    return isinstance(value, type(default))


def expected_type(option: Option) -> str:
    default = option.default
    if isinstance(default, bool):
        return "true or false"
    if isinstance(default, int):
        return "a whole number"
    if isinstance(default, float):
        return "a number"
    if isinstance(default, tuple | list):
        return "a list of whole numbers" if default and isinstance(default[0], int) else "a list of text"
    return "text" if isinstance(default, str) else "any value"


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, tuple):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    return "nothing" if value is None else f"`{value}`"
