from __future__ import annotations

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS
from kafka_topology.validators.engine.rule import Bad, found_elsewhere, rule

DOCS = """\
# KT001: invalid-yaml

A file is not valid YAML, or is unsafe to read.

An unreadable topology cannot be checked. Files that are not UTF-8, are nested too deeply, use aliases that expand
without bound, or are links that lead out of the folder are refused for the same reason.

Fix: Correct the text at the reported line and column.
"""

GOOD = (ORDERS,)
BAD = (
    Bad("version: 1\ntopics:\n  orders: {partitions: 6, replication: 3\n", line=3, column=11),
    Bad("version: 1\ntopics:\n\torders: {partitions: 6}\n", line=3, column=1),
)

RULE = rule(DOCS, Severity.ERROR, found_elsewhere, GOOD, BAD, found_by="loader")
