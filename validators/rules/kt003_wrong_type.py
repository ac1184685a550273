from __future__ import annotations

from ...topology.findings import Severity
from ..rule import Bad, Rule, found_elsewhere

RULE = Rule(
    id="KT003",
    name="wrong-type-or-unit",
    severity=Severity.ERROR,
    summary="A value is not what its field takes: another type, a unit that does not exist, or nothing at all.",
    why="""\
`retention: 7` could mean days or milliseconds, and YAML reads `no` as false and `012` as ten. What can be read in two
ways is refused, so that what is applied is what was meant.""",
    fix="Write the value as the message says: durations as `30s` or `7d`, sizes as `1MiB`, rates as `10MB/s`.",
    check=found_elsewhere,
    found_by="loader",
    good=("version: 1\ntopics:\n  orders: {partitions: 6, replication: 3, retention: 7d}\n",),
    bad=(
        Bad("version: 1\ntopics:\n  orders: {partitions: 6, replication: 3, retention: 7}\n", line=3, column=54),
        Bad("version: 1\ntopics:\n  orders: {partitions: 6, replication: 3, owner: 12}\n", line=3, column=50),
        Bad("version: 1\ntopics:\n  orders:\n    replication: 3\n", line=3, column=3),
    ),
)
