"""Keeps secrets out of reviews: masks values that look like one or whose name says so."""

from __future__ import annotations

from kafka_topology.topology.kafka.secrets import MASK, is_placeholder, names_secret, without_secrets


def masked(text: str, name: str = "") -> str:
    """The text without secrets. Placeholders of a config provider, `${…}`, stay."""
    if names_secret(name) and text and not is_placeholder(text, name):
        return MASK
    return without_secrets(text)
