"""Acme's own rules for kafka-topology."""

from kafka_topology.validators import Rule

from . import topic_without_description


def rules() -> tuple[Rule, ...]:
    """What the entry point names."""
    return (topic_without_description.RULE,)
