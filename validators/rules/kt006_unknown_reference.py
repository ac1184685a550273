from __future__ import annotations

from ...topology.findings import Severity
from ..rule import Bad, Rule, found_elsewhere

RULE = Rule(
    id="KT006",
    name="unknown-reference",
    severity=Severity.ERROR,
    summary="A name leads to nothing: no such topic, profile, key type, schema file or environment.",
    why="""\
A producer of a topic that does not exist fails at its first record, or creates the topic by accident with the brokers'
defaults. Topics outside the declared ownership belong to others, and may be named without being declared.""",
    fix="Mend the name, or declare what it stands for. The message suggests the nearest name.",
    check=found_elsewhere,
    found_by="loader",
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders]}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [order]}
""",
            line=5,
            column=23,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {profile: event, partitions: 6, replication: 3}
""",
            line=3,
            column=21,
        ),
        Bad(
            """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
    value: {format: json, schema: missing.schema.json}
""",
            line=6,
            column=35,
        ),
    ),
)
