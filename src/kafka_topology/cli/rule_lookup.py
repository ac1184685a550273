"""Looks up a rule by what people type: an id or a name, in any case."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

from kafka_topology.topology.model.words import nearest
from kafka_topology.validators import Rule, installed_rules

if TYPE_CHECKING:
    from kafka_topology.topology import Topology


def find_rule(text: str) -> Rule | None:
    """The rule of that id or name. A retired id stands for the rule that it became a part of."""
    wanted = text.lower()
    rules = installed_rules().rules
    named = next((rule for rule in rules if wanted in (rule.id.lower(), rule.name)), None)
    return named or next((rule for rule in rules if wanted.upper() in rule.replaces), None)


def no_such_rule(text: str, declared: Iterable[str] = ()) -> str:
    """What to say about a name that fits no rule, with the rule that was probably meant.

    `declared` are the ids of the rules that a topology declares.
    """
    ids = {name.lower(): rule.id for rule in installed_rules().rules for name in (rule.id, rule.name)}
    ids |= {rule.lower(): rule for rule in declared}
    near = nearest(text.lower(), ids, likeness=0.5)
    return f"no rule is called {text}; " + (
        f"did you mean {ids[near]}?" if near else "list them with `kafka-topology rules`"
    )


def rule_selection(only: tuple[str, ...], skip: tuple[str, ...], topology: Topology) -> Callable[[str], bool]:
    """Selects by id, prefix of ids, or name. Ends the command when one fits no rule, or when no rule is left."""
    wanted = tuple(_prefix(text, "--rule", topology) for text in only)
    unwanted = tuple(_prefix(text, "--skip", topology) for text in skip)

    def select(rule: str) -> bool:
        key = rule.lower()
        return (not wanted or key.startswith(wanted)) and not (unwanted and key.startswith(unwanted))

    of_changes = {rule.id for rule in installed_rules().rules if rule.about_changes}
    selected = [rule for rule in _ids(topology) if select(rule)]
    if not selected:
        raise click.UsageError("--rule and --skip leave no rule to run; skip fewer rules")
    if of_changes.issuperset(selected):
        raise click.UsageError(
            f"{', '.join(only)}: these rules compare two versions; run `kafka-topology review` or `kafka-topology diff`"
        )
    return select


def _ids(topology: Topology) -> list[str]:
    """The rules that a topology can be checked against: installed ones, and those that it declares."""
    return [*(rule.id for rule in installed_rules().rules if not rule.is_live), *topology.rules]


def _prefix(text: str, option: str, topology: Topology) -> str:
    """What the ids of the rules start with, in lower case."""
    named = find_rule(text)
    prefix = named.id.lower() if named is not None else text.lower()
    if prefix and any(rule.lower().startswith(prefix) for rule in _ids(topology)):
        return prefix
    command = {"kta": "audit", "ktp": "preflight"}.get(prefix[:3])
    if command is not None:
        message = f"{text} is a rule about the live cluster; run `kafka-topology {command}`"
        raise click.BadParameter(message, param_hint=option)
    for setting in topology.rules.values():
        if text and text == setting.options.get("name"):
            return setting.id.lower()
    raise click.BadParameter(no_such_rule(text or '""', topology.rules), param_hint=option)
