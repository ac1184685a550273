"""Sentences about a preflight."""

from __future__ import annotations

from typing import Final

from kafka_topology.preflight.run import Preflighted
from kafka_topology.topology.model.words import counted

_VERBS: Final = {"create": "create", "update": "update", "delete": "delete", "unclear": "create or update"}


def changes_text(found: Preflighted) -> str:
    parts = [f"{verb} {found.changes[action]:,}" for action, verb in _VERBS.items() if found.changes.get(action)]
    if not parts:
        return "pulumi up would change nothing" if found.fingerprint is not None else "nothing was compared"
    return f"pulumi up would {', '.join(parts)} of {counted(found.resources, 'resource')}"


def compared_text(found: Preflighted) -> str:
    return f"compared with {found.compared}" if found.compared else "what was deployed is not known"
