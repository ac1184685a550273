from __future__ import annotations

from ...topology.findings import Severity
from ..rule import Bad, Rule, found_elsewhere

RULE = Rule(
    id="KT005",
    name="declared-twice",
    severity=Severity.ERROR,
    summary="Two files declare the same resource.",
    why="""\
All files of a topology become one. When two of them declare one resource, it would depend on their order which of
them counts.""",
    fix="Keep one of the two, or move what differs into an environment. The message names both places.",
    check=found_elsewhere,
    found_by="loader",
    good=("version: 1\ntopics:\n  orders: {partitions: 6, replication: 3}\n",),
    bad=(
        Bad(
            """\
version: 1
include: [more.yaml]
topics:
  orders: {partitions: 6, replication: 3}
""",
            line=3,
            column=3,
            more_files={"more.yaml": "version: 1\ntopics:\n  orders: {partitions: 12, replication: 3}\n"},
        ),
    ),
)
