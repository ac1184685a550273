from __future__ import annotations

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, changed
from kafka_topology.validators.engine.rule import Bad, found_elsewhere, rule

DOCS = """\
# KT005: declared-twice

Two files declare the same resource.

All files of a topology are merged. If two of them declared the same resource, the order of the files would decide
which one counts.

Fix: Keep one of the two, or move the difference into an environment. The message names both places.
"""

EXAMPLE = ORDERS

GOOD = (EXAMPLE,)
BAD = (
    Bad(
        changed(EXAMPLE, {"topics:": "include: [more.yaml]\ntopics:"}),
        line=3,
        column=3,
        more_files={"more.yaml": "version: 1\ntopics:\n  orders: {partitions: 12, replication: 3}\n"},
    ),
)

RULE = rule(DOCS, Severity.ERROR, found_elsewhere, GOOD, BAD, found_by="loader")
