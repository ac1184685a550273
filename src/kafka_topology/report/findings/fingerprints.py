"""A stable identity of a finding, even if lines move, files are renamed or profiles are rearranged.

It consists of the rule, the resource and the message. The message states the actual value, so a changed value is a new
finding: a baseline never hides a mistake that became worse.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

from kafka_topology.topology import Finding


def fingerprint(finding: Finding) -> str:
    parts = (finding.id, finding.kind, finding.resource, finding.message)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def unique_fingerprints(findings: Iterable[Finding]) -> list[str]:
    """In the order of the findings. Equal ones are numbered to make each unique."""
    seen: Counter[str] = Counter()
    unique = []
    for finding in findings:
        name = fingerprint(finding)
        seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return unique


def resource_title(finding: Finding) -> str:
    """`topic shop.orders`: with the kind, because a group may have the same name."""
    return f"{finding.kind} {finding.resource}".strip()
