from pathlib import Path

import pytest
from acme_kafka_rules import rules

from kafka_topology.rule_testing import example_problems
from kafka_topology.validators import Rule


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.id)
def test_the_examples_of_each_rule(rule: Rule, tmp_path: Path) -> None:
    assert example_problems(rule, tmp_path) == []
