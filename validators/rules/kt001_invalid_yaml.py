from __future__ import annotations

from ...topology.findings import Severity
from ..rule import Bad, Rule, found_elsewhere

RULE = Rule(
    id="KT001",
    name="invalid-yaml",
    severity=Severity.ERROR,
    summary="A file is not YAML, or is not safe to read.",
    why="""\
Nothing can be said about a topology that cannot be read. Files that are not UTF-8, that are nested too deeply, whose
aliases grow without bound, or that a link leads out of the folder to, are refused for the same reason.""",
    fix="Mend the text at the place that is shown.",
    check=found_elsewhere,
    found_by="loader",
    good=("version: 1\ntopics:\n  orders: {partitions: 6, replication: 3}\n",),
    bad=(
        Bad("version: 1\ntopics:\n  orders: {partitions: 6, replication: 3\n", line=3, column=11),
        Bad("version: 1\ntopics:\n\torders: {partitions: 6}\n", line=3, column=1),
    ),
)
