"""A review as the format `github` of findings."""

from __future__ import annotations

from .annotated import format_like

FORMAT = format_like("github", "Workflow commands, which GitHub shows at the changed lines of a pull request.")
