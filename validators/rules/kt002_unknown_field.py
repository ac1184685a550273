from __future__ import annotations

from ...topology.findings import Severity
from ..rule import Bad, Rule, found_elsewhere

RULE = Rule(
    id="KT002",
    name="unknown-field",
    severity=Severity.ERROR,
    summary="A field that the language does not have.",
    why="""\
A field that is not known would be left out in silence, and the file would promise what nobody keeps. Most often it is
a slip of the pen: the message suggests the nearest name.""",
    fix="Use the suggested name, or remove the field. Kafka's own settings belong under `config`.",
    check=found_elsewhere,
    found_by="loader",
    good=("version: 1\ntopics:\n  orders: {partitions: 6, replication: 3}\n",),
    bad=(Bad("version: 1\ntopics:\n  orders: {partition: 6, replication: 3}\n", line=3, column=12),),
)
