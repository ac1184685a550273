from __future__ import annotations

from ...topology.findings import Severity
from ..rule import Bad, Rule, found_elsewhere

RULE = Rule(
    id="KT004",
    name="duplicate-key",
    severity=Severity.ERROR,
    summary="The same name stands twice in one mapping.",
    why="YAML readers keep one of the two in silence, and which one differs from reader to reader.",
    fix="Keep one of the two. The message names both lines.",
    check=found_elsewhere,
    found_by="loader",
    good=("version: 1\ntopics:\n  orders: {partitions: 6, replication: 3}\n",),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
    partitions: 12
""",
            line=6,
            column=5,
        ),
        Bad(
            """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
    retention: 7d
    config: {retention.ms: 1d}
""",
            line=6,
            column=5,
        ),
    ),
)
