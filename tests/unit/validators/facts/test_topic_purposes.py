"""Which names say what a topic is for, and which do not."""

from __future__ import annotations

import pytest

from kafka_topology.validators.facts.topic_purposes import purpose_of


@pytest.mark.parametrize(
    ("name", "purpose"),
    [
        ("summing-totals-changelog", "changelog"),
        ("summing-by-customer-repartition", "repartition"),
        ("heartbeats", "heartbeat"),
        ("dr.heartbeats", "heartbeat"),
        ("__debezium-heartbeat.inventory", "heartbeat"),
        ("orders.dlq", "dead letters"),
        ("orders-DLT", "dead letters"),
        ("dlq.orders", "dead letters"),
        ("orders.dead-letter-queue", "dead letters"),
        ("mm2-offset-syncs.dr.internal", "state of a tool"),
        ("dr.checkpoints.internal", "state of a tool"),
        ("connect-configs", "state of a tool"),
        ("_schemas", "state of a tool"),
        ("_connect-configs", "state of a tool"),
        ("connect-cluster-offsets", "state of a tool"),
        ("dbhistory.inventory", "state of a tool"),
        ("inventory.schema-history", "state of a tool"),
        ("connect-order-status", None),
        ("orders", None),
        ("changelog", None),
        ("changelog-events", None),
        ("shop.heartbeat.events", None),
        ("handled-q", None),
        ("adltopic", None),
    ],
)
def test_the_name_says_the_purpose(name: str, purpose: str | None) -> None:
    assert purpose_of(name) == purpose
