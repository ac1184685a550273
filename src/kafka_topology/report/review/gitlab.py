"""A review as the format `gitlab` of findings."""

from __future__ import annotations

from .annotated import format_like

FORMAT = format_like("gitlab", "A code quality report, which GitLab shows in a merge request.")
