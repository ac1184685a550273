"""Secrets of a resource in what is said about it."""

from __future__ import annotations

from kafka_topology.provider.plugin.properties import Output, Secret
from kafka_topology.provider.plugin.secrecy import redact, secrets_of


def test_every_marked_value_is_found_at_every_depth():
    inputs = {
        "name": "t",
        "config": {"a": Secret("hunter2"), "b": "open", "c": Output("token", secret=True), "d": Output("shown")},
        "rules": [Secret({"host": "10.0.0.1", "ports": [9092, True]})],
    }
    assert secrets_of(inputs) == {"hunter2", "token", "10.0.0.1", "9092", "True", "true"}


def test_a_short_secret_is_hidden_only_where_it_stands_alone():
    assert redact("value 7 of 70 is wrong; hunter2x", frozenset({"7", "hunter2"})) == (
        "value [secret] of 70 is wrong; [secret]x"
    )
