"""The rules of audit and preflight come from a file, so that a validation need not import the code that finds them."""

from __future__ import annotations

import pytest

from kafka_topology.audit import rules as audit
from kafka_topology.preflight import rules as preflight
from kafka_topology.validators.engine.recorded import recorded


@pytest.mark.parametrize(
    ("read", "made"),
    [
        (audit.audit_rules, audit.rules_of_checks),
        (preflight.preflight_rules, preflight.rules_of_checks),
    ],
)
def test_the_file_holds_the_checks_of_the_code(read, made) -> None:
    assert read() == made(), "run `make generate`"
    assert recorded(read()) == recorded(made())
