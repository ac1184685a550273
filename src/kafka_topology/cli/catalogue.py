"""Finding rules by what people type."""

from __future__ import annotations

import difflib

from kafka_topology.validators import Rule, installed_rules


def find_rule(text: str) -> Rule | None:
    """By id or by name, in any case."""
    wanted = text.lower()
    return next((rule for rule in installed_rules().rules if wanted in (rule.id.lower(), rule.name)), None)


def suggestion_for(text: str) -> str:
    """`; did you mean KT101?`, or nothing."""
    names = {name.lower(): rule.id for rule in installed_rules().rules for name in (rule.id, rule.name)}
    near = difflib.get_close_matches(text.lower(), names, n=1, cutoff=0.5)
    return f"; did you mean {names[near[0]]}?" if near else "; `kafka-topology rules` lists them"
