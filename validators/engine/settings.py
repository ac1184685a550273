"""The severity and options that `rules:` gives each rule, checked before any rule runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kafka_topology.topology.model.declared import RuleSetting
from kafka_topology.topology.model.findings import Finding, Related, Severity
from kafka_topology.topology.model.words import did_you_mean, one_edit_away

from .rule import Measure, Option, Rule, amount_of

_MEASURES: Mapping[Measure, str] = {
    "duration": "a duration such as 30s or 7d",
    "size": "a size such as 1MiB",
    "rate": "a rate such as 10MB/s",
}


@dataclass(frozen=True, slots=True)
class Configured:
    """A rule as this topology configures it. `severity` is None if it is off."""

    rule: Rule
    severity: Severity | None
    options: Mapping[str, object]


def configured(rule: Rule, setting: RuleSetting | None) -> Configured:
    """The rule with its settings. Unknown or mistyped options keep their default; `setting_problems` reports them."""
    options: dict[str, object] = {option.name: option.default for option in rule.options}
    severity = rule.severity if rule.enabled else None
    if setting is not None:
        for option in rule.options:
            if option.name in setting.options and fits(setting.options[option.name], option):
                options[option.name] = setting.options[option.name]
        if setting.severity is not None:
            severity = None if setting.severity == "off" else Severity(setting.severity)
        elif setting.options and not rule.enabled:
            severity = rule.severity  # giving a rule options turns it on
    return Configured(rule, severity, options)


def setting_problems(setting: RuleSetting, rule: Rule) -> Iterator[Finding]:
    """Options that the rule does not have, or whose value has the wrong type."""
    options = {option.name: option for option in rule.options}
    for name, value in setting.options.items():
        at = setting.place(name).location
        option = options.get(name)
        if option is None:
            fix = did_you_mean(name, [*options, "severity"]) or (
                f"{rule.id} takes severity{''.join(f', {known}' for known in options)}"
            )
            message = f"{rule.id} has no option `{name}`"
            yield Finding("KT002", Severity.ERROR, message, setting.name_place(name).location, rule.id, fix)
        elif not fits(value, option):
            expected = expected_type(option)
            message = f"{rule.id}: `{name}` is {_shown(value)}; expected {expected}"
            yield Finding("KT003", Severity.ERROR, message, at, rule.id, f"write {expected}; {option.doc}")


def settings_of_other_files(setting: RuleSetting, rule: Rule) -> Iterator[Finding]:
    """Settings that another file changes, by an environment, although the rule must be set by one file."""
    if not rule.set_by_one_file:
        return
    first = setting.name_place().location
    for path in (*((("severity",),) if setting.severity is not None else ()), *_paths(setting.options)):
        at = setting.place(*path).location
        if at.file != first.file:
            yield Finding(
                rule.id,
                Severity.ERROR,
                f"{rule.id}: `{'.'.join(path)}` is set here, but {Path(first.file).name} sets {rule.id}; expected only"
                " one file that sets it",
                at,
                rule.id,
                "remove it, or ask the owner of the other file to change the rule",
                (Related(first, f"{rule.id} is set here"),),
            )


def _paths(options: Mapping[str, object], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, value in options.items():
        if isinstance(value, Mapping):
            yield from _paths(value, (*above, name))
        else:
            yield (*above, name)


def unknown_rule(setting: RuleSetting, known: Mapping[str, Rule]) -> Finding:
    fix = one_edit_away(setting.id, known) or "correct the id, or install the pack that has the rule"
    at = setting.name_place().location
    return Finding("KT006", Severity.ERROR, f"there is no rule `{setting.id}`", at, setting.id, fix)


def retired_rule(setting: RuleSetting, successor: str) -> Finding:
    """Settings of a retired rule have no effect: the rule that it became a part of has its own."""
    at = setting.name_place().location
    message = f"{setting.id} became a part of {successor}, so its settings have no effect; expected {successor}"
    return Finding(
        "KT006", Severity.WARNING, message, at, setting.id, f"set {successor} instead, or remove {setting.id}"
    )


def fits(value: object, option: Option) -> bool:
    """Whether a value has the type of the option's default; a default of None accepts any value."""
    default = option.default
    if default is None:
        return True
    if option.measure is not None:
        return amount_of(value, option.measure) is not None
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
    if option.measure is not None:
        return _MEASURES[option.measure]
    if isinstance(default, bool):
        return "true or false"
    if isinstance(default, int):
        return "a whole number"
    if isinstance(default, float):
        return "a number"
    if isinstance(default, tuple | list):
        return "a list of whole numbers" if default and isinstance(default[0], int) else "a list of text"
    if isinstance(default, Mapping):
        return "a mapping"
    return "text" if isinstance(default, str) else "any value"


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, tuple):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    return "nothing" if value is None else f"`{value}`"
