from __future__ import annotations

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, ORDERS_BLOCK, changed
from kafka_topology.validators.engine.rule import Bad, found_elsewhere, rule

DOCS = """\
# KT004: duplicate-key

A mapping contains the same key twice.

YAML parsers silently keep one of the two, and they disagree on which one.

Fix: Keep one of the two. The message names both lines.
"""

EXAMPLE = ORDERS_BLOCK + "    partitions: 12\n"

GOOD = (ORDERS,)
BAD = (
    Bad(EXAMPLE, line=6, column=5),
    Bad(changed(EXAMPLE, {"partitions: 12": "retention: 7d\n    config: {retention.ms: 1d}"}), line=6, column=5),
    Bad(
        """\
version: 1
topics:
  orders: &orders {partitions: 6, replication: 3}
  returns: &returns {<<: *orders, retention: 7d}
  refunds: {<<: *orders, <<: *returns}
""",
        line=5,
        column=26,
    ),
)

RULE = rule(DOCS, Severity.ERROR, found_elsewhere, GOOD, BAD, found_by="loader")
