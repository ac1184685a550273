from __future__ import annotations

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, ORDERS_BLOCK, changed
from kafka_topology.validators.engine.rule import Bad, found_elsewhere, rule

DOCS = """\
# KT006: unknown-reference

A name refers to a topic, profile, key type, schema file or environment that does not exist.

A producer of a missing topic fails at its first record, or creates the topic by accident with the brokers'
defaults. Topics outside the declared ownership belong to others, so you can refer to them without declaring them.

Fix: Correct the name, or declare what it refers to. The message suggests the nearest name.
"""

EXAMPLE = ORDERS + "producers:\n  checkout: {topics: [orders]}\n"

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"topics: [orders]": "topics: [order]"}), line=5, column=23),
    Bad("version: 1\ntopics:\n  orders: {profile: event, partitions: 6, replication: 3}\n", line=3, column=21),
    Bad(ORDERS_BLOCK + "    value: {format: json, schema: missing.schema.json}\n", line=6, column=35),
)

RULE = rule(DOCS, Severity.ERROR, found_elsewhere, GOOD, BAD, found_by="loader")
