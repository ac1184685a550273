"""The ACLs of `access.derived_acls` as text and as data."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from ..kafka.access import Grant


def acls_as_text(grants: Iterable[Grant]) -> str:
    """Aligned lines by principal, each with its first reason and where that is written."""
    blocks = []
    for principal, items in groupby(grants, key=lambda grant: grant.principal):
        rows = [(grant.permission, grant.operation, f"{grant.resource} {_name(grant)}", _why(grant)) for grant in items]
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        lines = ["  ".join((*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[3])) for row in rows]
        blocks.append("\n".join([principal, *(f"  {line}" for line in lines)]))
    return "\n\n".join(blocks) + "\n" if blocks else ""


def acls_as_data(grants: Iterable[Grant]) -> list[dict[str, Any]]:
    """Plain data for JSON and YAML."""
    return [
        {
            "principal": grant.principal,
            "permission": grant.permission,
            "operation": grant.operation,
            "resource": grant.resource,
            "name": grant.name,
            "pattern": grant.pattern,
            "host": grant.host,
            "reasons": [{"reason": why.text, "place": str(why.place.location)} for why in grant.reasons],
        }
        for grant in grants
    ]


def _name(grant: Grant) -> str:
    from_host = f" from {grant.host}" if grant.host != "*" else ""
    return f"{grant.name}{'*' if grant.pattern == 'prefixed' else ''}{from_host}"


def _why(grant: Grant) -> str:
    first, *others = grant.reasons
    more = f", and {len(others)} more" if others else ""
    return f"{first.text} ({first.place.location}){more}"
