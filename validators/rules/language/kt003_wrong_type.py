from __future__ import annotations

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import changed, orders_with
from kafka_topology.validators.engine.rule import Bad, found_elsewhere, rule

DOCS = """\
# KT003: wrong-type-or-unit

A value does not fit its field: the wrong type, an unknown unit, or no value at all.

`retention: 7` could mean days or milliseconds, and YAML reads `no` as false and `012` as ten. Ambiguous values are
refused, so Kafka gets exactly what you meant.

Fix: Write the value as the message says: durations as `30s` or `7d`, sizes as `1MiB`, rates as `10MB/s`.
"""

EXAMPLE = orders_with("retention: 7d")

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"retention: 7d": "retention: 7"}), line=3, column=54),
    Bad(changed(EXAMPLE, {"retention: 7d": "owner: 12"}), line=3, column=50),
    Bad("version: 1\ntopics:\n  orders:\n    replication: 3\n", line=3, column=3),
)

RULE = rule(DOCS, Severity.ERROR, found_elsewhere, GOOD, BAD, found_by="loader")
