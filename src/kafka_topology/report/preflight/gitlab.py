"""A preflight as the format `gitlab` of findings."""

from __future__ import annotations

from .formats import format_like

FORMAT = format_like("gitlab", "A code quality report of GitLab.")
