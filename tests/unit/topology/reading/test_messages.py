"""What messages say about values of the wrong form: each fact once, and the actual value."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kafka_topology.topology import Loaded
from kafka_topology.topology.model.words import one_edit_away

LoadText = Callable[..., Loaded]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("producers: {p: {topics: []}}", "expected at least one topic, found an empty list"),
        ("consumerGroups: {g: {assign: {}}}", "expected at least one topic, found an empty mapping"),
        ("consumerGroups: {g: {assign: {a: []}}}", "expected at least one partition, found an empty list"),
        ("cluster: {brokers: []}", "expected at least one broker, found an empty list"),
        ("topics: []", "expected a mapping of names, found an empty list"),
        (
            "topics: {a: {partitions: 1, replication: 1, retention: 999999999999d}}",
            "`999999999999d` is too large; expected at most 99999999999d",
        ),
        (
            "topics: {a: {partitions: 1, replication: 1, config: {segment.bytes: 99999999999999999999GiB}}}",
            "`99999999999999999999GiB` is too large; expected at most 999999999GiB",
        ),
        (
            "quotas: [{user: a, producerByteRate: 99999999999999999999999999999MB/s}]",
            "`99999999999999999999999999999MB/s` is too large; expected at most 999999999999MB/s",
        ),
    ],
)
def test_a_message(load_text: LoadText, text: str, message: str) -> None:
    assert [found.message for found in load_text(f"version: 1\n{text}\n").problems] == [message]


def test_the_fields_of_a_structure_are_named_once(load_text: LoadText) -> None:
    (found,) = load_text("- version: 1\n").problems
    assert found.message == "expected a mapping, found a list"
    assert found.fix.startswith("write its fields: version, include, cluster, ")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("KT1234", None),
        ("KT1001", "KT101"),
        ("KT11", "KT101"),
        ("KT201", "KT101"),
        ("KT102", "KT101"),
        ("K101", "KT101"),
    ],
)
def test_an_id_is_suggested_only_if_one_character_differs(name: str, near: str | None) -> None:
    assert one_edit_away(name, ["KT101", "KT814"]) == (f"did you mean `{near}`?" if near else "")


def test_a_tag_is_what_is_wrong_with_a_mapping(load_text: LoadText) -> None:
    [found] = load_text("version: 1\ntopics:\n  a: !shop {partitions: 6, replication: 3}\n").problems
    assert found.message == "expected a mapping, found a mapping with the tag !shop"
