"""A preflight as the format `junit` of findings."""

from __future__ import annotations

from .formats import format_like

FORMAT = format_like("junit", "A report that test dashboards read.")
