"""Every fact about Kafka that the product keeps is in the docs, with the rules that judge it."""

from __future__ import annotations

import re
from pathlib import Path

from kafka_topology.audit.rules import audit_rules
from kafka_topology.preflight.rules import preflight_rules
from kafka_topology.validators import builtin_rules

PAGE = Path(__file__).resolve().parents[2] / "docs/requirements.md"


def test_the_page_names_all_facts_and_exactly_their_rules() -> None:
    rows = {
        match[1]: set(re.findall(r"\[(KT[AP]?[0-9]{3})\]", match[0]))
        for match in re.finditer(r"^\| (R[0-9]+) \|.*$", PAGE.read_text(), re.MULTILINE)
    }
    assert list(rows) == [f"R{number}" for number in range(1, 37)]
    rules = (*builtin_rules(), *audit_rules(), *preflight_rules())
    for fact, named in rows.items():
        assert named == {rule.id for rule in rules if fact in rule.requirements}, fact
