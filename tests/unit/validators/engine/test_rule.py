"""Rules whose texts are one Markdown text."""

from __future__ import annotations

import pytest

from kafka_topology.topology import Severity
from kafka_topology.validators import rule
from kafka_topology.validators.engine.rule import found_elsewhere

DOCS = """\
# ACME-1: topic-without-description

A topic has no description, which is said
in two lines.

Other teams decide by it.

It is short.

Fix: Describe one record
in a sentence.
"""


def test_the_docs_are_the_texts_of_a_rule() -> None:
    made = rule(DOCS, Severity.WARNING, found_elsewhere, (), ())
    assert (made.id, made.name) == ("ACME-1", "topic-without-description")
    assert made.summary == "A topic has no description, which is said in two lines."
    assert made.why == "Other teams decide by it.\n\nIt is short."
    assert made.fix == "Describe one record in a sentence."
    assert not made.about_changes


def test_a_rule_with_changed_fields_is_about_changes() -> None:
    assert rule(DOCS, Severity.WARNING, found_elsewhere, (), (), changed=("topic.partitions",)).about_changes


@pytest.mark.parametrize(
    "part", ["# ACME-1: topic-without-description\n\n", "Fix: ", "Other teams decide by it.\n\nIt is short.\n\n"]
)
def test_a_missing_part_is_refused(part: str) -> None:
    with pytest.raises(ValueError, match="a summary, a reason and `Fix: …`"):
        rule(DOCS.replace(part, ""), Severity.WARNING, found_elsewhere, (), ())
