"""A review as one HTML page that loads nothing: the graph before and after, risks, effects, new findings."""

from __future__ import annotations

from ...formats import Format
from ..formats import Presented


def _render(presented: Presented) -> str:
    from .page import render  # noqa: PLC0415 - only those who want a page wait for it

    return render(presented)


FORMAT: Format[Presented] = Format(
    name="page",
    description="One HTML page that loads nothing: the graph before and after the change, risks, effects.",
    render=_render,
)
