"""The checks of a preflight as rules: you list, explain, set and suppress them like rules about files."""

from __future__ import annotations

from functools import cache

from ..validators.engine.recorded import read_recorded
from ..validators.engine.rule import Option, Rule, found_elsewhere
from .registry import checks


@cache
def preflight_rules() -> tuple[Rule, ...]:
    """From `rules.json`, which `make generate` writes: a validation knows these rules without importing their code."""
    return read_recorded("kafka_topology.preflight")


def rules_of_checks() -> tuple[Rule, ...]:
    """What the file must hold: a rule for each check in the code."""
    return tuple(
        Rule(
            id=check.id,
            name=check.name,
            severity=check.severity,
            summary=check.summary,
            why=check.why,
            fix=check.fix,
            check=found_elsewhere,
            found_by="preflight",
            good=(),
            bad=(),
            options=tuple(Option(*option) for option in check.options),
            requirements=check.requirements,
        )
        for check in sorted(checks(), key=lambda check: check.id)
    )
