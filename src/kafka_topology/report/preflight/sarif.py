"""A preflight as the format `sarif` of findings."""

from __future__ import annotations

from .formats import format_like

FORMAT = format_like("sarif", "SARIF 2.1.0, for code scanning.")
