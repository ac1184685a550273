"""Addresses of the rules' pages."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, metadata

from kafka_topology.validators import is_own


@cache
def docs_base() -> str | None:
    """Address of the documentation: the URL `Documentation` of the distribution's metadata."""
    try:
        urls = metadata("kafka-topology").get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    found = (url.partition(",")[2].strip() for url in urls if url.lower().startswith("documentation"))
    return next((url.rstrip("/") for url in found), None)


def docs_page(rule_id: str) -> str | None:
    """Path of a built-in rule's page in the documentation."""
    return f"docs/rules/{rule_id}.md" if is_own(rule_id) and rule_id != "KT000" else None


def docs_url(rule_id: str, base: str | None = None) -> str | None:
    base = base or docs_base()
    page = docs_page(rule_id)
    return f"{base}/{page}" if base and page else None
