"""A rule's page as Markdown: what it finds, why that is bad, an example, a fix, its options."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kafka_topology.validators import Bad, Option, Rule

CATEGORIES = {
    "0": "language",
    "1": "durability",
    "2": "partitions",
    "3": "storage",
    "4": "producers",
    "5": "consumers",
    "6": "access",
    "7": "cluster",
    "8": "changes",
    "9": "custom",
}


def category(rule: Rule) -> str:
    """By the first digit of the id. For a rule pack, its prefix."""
    if rule.is_live:
        return rule.found_by
    if re.fullmatch(r"KT[0-9]{3}", rule.id):
        return CATEGORIES[rule.id[2]]
    return re.sub(r"-?[0-9]+$", "", rule.id).lower()


def rule_page(rule: Rule) -> str:
    return "\n".join(_lines(rule)).rstrip() + "\n"


def _lines(rule: Rule) -> Iterator[str]:
    yield f"# {rule.id}: {rule.name}"
    yield ""
    default = "on by default" if rule.enabled else "off by default"
    yield f"**{rule.severity.value.capitalize()}** · {category(rule)} · {default}{_extras(rule)}"
    yield from ("", "## What it does", "", rule.summary)
    yield from ("", "## Why it is bad", "", rule.why)
    if rule.bad:
        yield from ("", "## Example", "")
        yield from _bad(rule, rule.bad[0])
    if rule.good:
        yield from ("", "## Use instead", "", rule.fix, "")
        yield from _code(rule.good[0])
    else:
        yield from ("", "## What to do" if rule.is_live else "## Use instead", "", rule.fix)
    if rule.options:
        yield from ("", "## Options", "", "| option | default | meaning |", "|---|---|---|")
        for option in rule.options:
            yield f"| `{option.name}` | {_default(option)} | {option.doc} |"
        yield from ("", "```yaml", "rules:", f"  {rule.id}: {{{rule.options[0].name}: …}}", "```")


def _extras(rule: Rule) -> str:
    extras = ""
    if rule.about_changes:
        extras += " · compares two versions"
    if rule.judges_parts:
        extras += " · also judges Pulumi programs"
    if rule.is_live:
        extras += f" · found on the live cluster by `kafka-topology {rule.found_by}`"
    if rule.replaces:
        extras += f" · replaces {', '.join(rule.replaces)}"
    if rule.requirements:
        extras += f" · {', '.join(rule.requirements)}"
    return extras


def _bad(rule: Rule, bad: Bad) -> Iterator[str]:
    before = bad.before or rule.before
    if before is not None:
        yield from ("Before:", "")
        yield from _code(before)
        yield from ("", "After:", "")
    yield from _code(bad.yaml)
    yield from ("", f"Found at line {bad.line}, column {bad.column}.")


def _code(text: str) -> Iterator[str]:
    """Inside a fence that the text itself cannot close."""
    longest = max((len(ticks) for ticks in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    yield from (f"{fence}yaml", text.rstrip("\n"), fence)


def _default(option: Option) -> str:
    value = option.default
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple | list):
        return f"`[{', '.join(map(str, value))}]`"
    return f"`{value}`" if value not in ("", {}) else "empty"
