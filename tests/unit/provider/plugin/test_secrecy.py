"""Secrets of a resource in what is said about it."""

from __future__ import annotations

from kafka_topology.provider.plugin.properties import Output, Secret
from kafka_topology.provider.plugin.secrecy import secrets_of
from kafka_topology.topology.kafka.secrets import hide


def test_every_marked_value_is_found_at_every_depth():
    inputs = {
        "name": "t",
        "config": {"a": Secret("hunter2"), "b": "open", "c": Output("token", secret=True), "d": Output("shown")},
        "rules": [Secret({"host": "10.0.0.1", "ports": [9092, True]})],
    }
    assert secrets_of(inputs) == {"hunter2", "token", "10.0.0.1", "9092", "True", "true"}


def test_a_short_secret_is_hidden_only_where_it_stands_alone():
    assert hide("value 7 of 70 is wrong; hunter2x", frozenset({"7", "hunter2"})) == (
        "value [secret] of 70 is wrong; [secret]x"
    )


def test_a_secret_of_one_letter_leaves_the_message_readable():
    text = "Kafka at a:1 has a problem: Invalid value a for 'a', password=a."
    assert hide(text, frozenset({"a", ""})) == (
        "Kafka at a:1 has a problem: Invalid value [secret] for '[secret]', password=[secret]."
    )
