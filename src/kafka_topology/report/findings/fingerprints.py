"""A name for a finding that stays the same while lines move, files are renamed or profiles are rearranged.

It is made of the rule, the resource and the message. The message states the actual value, so a value that changes
makes a new finding: a baseline never hides a mistake that became worse.
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
    """In the order of the findings; equal ones are numbered, so that no two are the same."""
    seen: Counter[str] = Counter()
    unique = []
    for finding in findings:
        name = fingerprint(finding)
        seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return unique


def resource_title(finding: Finding) -> str:
    """`topic shop.orders`: the kind tells a topic from a group of the same name."""
    return f"{finding.kind} {finding.resource}".strip()
