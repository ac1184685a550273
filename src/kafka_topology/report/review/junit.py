"""A review as the format `junit` of findings."""

from __future__ import annotations

from .annotated import format_like

FORMAT = format_like("junit", "JUnit XML: what fails the review is a failed test.", with_known=False)
