"""The provider's config `rules`: which rules judge a program, how severely, and which findings are accepted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, get_args

from ..plugin.properties import UNKNOWN
from ..resources.changes import CheckFailure
from ..resources.input_checks import wrong_map, wrong_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..plugin.properties import Value

Severity = Literal["error", "warning", "off"]
_SEVERITIES: Final = get_args(Severity)
_FIELDS: Final = ("enabled", "severity", "ignore")
_IGNORE_FIELDS: Final = ("rule", "resource", "reason")
# A stack's config holds only text, even if `pulumi config set --path` set a part of it.
_SWITCH: Final[Mapping[Value, bool]] = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Ignore:
    """Accepts a rule's findings on the resources whose names match the pattern."""

    rule: str
    resource: str
    reason: str


@dataclass(frozen=True, slots=True)
class RuleChoices:
    enabled: bool = True
    severity: Mapping[str, Severity] = field(default_factory=dict)
    ignore: tuple[Ignore, ...] = ()


def parse_rules(value: Value) -> RuleChoices:
    """The choices in a value that `wrong_rules` accepts."""
    if not isinstance(value, dict):
        return RuleChoices()
    severity, ignored = value.get("severity"), value.get("ignore")
    return RuleChoices(
        enabled=_switch(value.get("enabled")) is not False,
        severity={rule: _severity(chosen) for rule, chosen in severity.items()} if isinstance(severity, dict) else {},
        ignore=tuple(
            Ignore(str(each["rule"]), str(each["resource"]), str(each["reason"]))
            for each in (ignored if isinstance(ignored, list) else ())
            if isinstance(each, dict)
        ),
    )


def wrong_rules(value: Value) -> Iterator[CheckFailure]:
    """All mistakes that can be found without loading the rules."""
    yield from wrong_map("rules", value, _FIELDS, f"{value!r} is not a map with {', '.join(_FIELDS)}.")
    if not isinstance(value, dict):
        return
    enabled = _switch(value.get("enabled"))
    if enabled is not None and enabled is not UNKNOWN and not isinstance(enabled, bool):
        yield CheckFailure("rules.enabled", f"{enabled!r} is not true or false.")
    yield from _wrong_severities(value.get("severity"))
    yield from _wrong_ignores(value.get("ignore"))


def _wrong_severities(severity: Value) -> Iterator[CheckFailure]:
    expected = f"{severity!r} is not a map of rules to severities, such as KT103: off."
    yield from wrong_type("rules.severity", severity, dict, expected)
    for rule, chosen in severity.items() if isinstance(severity, dict) else ():
        # YAML reads an unquoted `off` as false.
        if chosen not in _SEVERITIES and chosen is not False and chosen is not UNKNOWN:
            yield CheckFailure(f'rules.severity["{rule}"]', f"{chosen!r} is not one of {', '.join(_SEVERITIES)}.")


def _wrong_ignores(ignored: Value) -> Iterator[CheckFailure]:
    fields = ", ".join(_IGNORE_FIELDS)
    yield from wrong_type("rules.ignore", ignored, list, f"{ignored!r} is not a list of maps with {fields}.")
    for index, each in enumerate(ignored if isinstance(ignored, list) else ()):
        at = f"rules.ignore[{index}]"
        if not isinstance(each, dict):
            if each is not UNKNOWN:
                yield CheckFailure(at, f"{each!r} is not a map with {fields}.")
            continue
        yield from wrong_map(at, each, _IGNORE_FIELDS, "")
        for name in _IGNORE_FIELDS:
            given = each.get(name)
            if given is not UNKNOWN and not (isinstance(given, str) and given.strip()):
                yield CheckFailure(f"{at}.{name}", f"'{name}' is missing: {_EXPECTED[name]}.")


_EXPECTED: Final = {
    "rule": "give the id of a rule, such as KT101",
    "resource": "give the name of a resource, or a pattern such as shop.*",
    "reason": "say why the finding is acceptable there",
}


def _switch(value: Value) -> Value:
    return _SWITCH.get(value, value) if isinstance(value, str) else value


def _severity(value: Value) -> Severity:
    match value:
        case "error" | "warning":
            return value
        case _:
            return "off"
