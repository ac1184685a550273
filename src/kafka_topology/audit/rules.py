"""The checks of an audit as rules: you list, explain, set and suppress them like rules about files."""

from __future__ import annotations

from functools import cache
from typing import Final

from kafka_topology.audit.registry import checks
from kafka_topology.validators.engine.recorded import read_recorded
from kafka_topology.validators.engine.rule import Option, Rule, found_elsewhere

FOR: Final = "for"
_GRACE: Final = Option(
    FOR, "0s", "how long it must last to be reported: the audit looks again; `--for` sets it for all rules", "duration"
)


@cache
def audit_rules() -> tuple[Rule, ...]:
    """From `rules.json`, which `make generate` writes: a validation knows these rules without importing their code."""
    return read_recorded("kafka_topology.audit")


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
            found_by="audit",
            good=(),
            bad=(),
            options=(*(Option(*option) for option in check.options), *((_GRACE,) if check.transient else ())),
            requirements=check.requirements,
        )
        for check in checks()
    )
