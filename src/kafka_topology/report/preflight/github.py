"""A preflight as the format `github` of findings."""

from __future__ import annotations

from .formats import format_like

FORMAT = format_like("github", "Workflow commands, which GitHub shows at the lines of the files.")
