from __future__ import annotations

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, changed
from kafka_topology.validators.engine.rule import Bad, found_elsewhere, rule

DOCS = """\
# KT002: unknown-field

A field does not exist in the language.

If unknown fields were ignored, the file would promise something that never happens. Most are typos: the message
suggests the nearest name.

Fix: Use the suggested name, or remove the field. Put Kafka's own settings under `config`.
"""

EXAMPLE = ORDERS

GOOD = (EXAMPLE,)
BAD = (Bad(changed(EXAMPLE, {"partitions": "partition"}), line=3, column=12),)

RULE = rule(DOCS, Severity.ERROR, found_elsewhere, GOOD, BAD, found_by="loader")
