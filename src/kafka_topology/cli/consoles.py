"""Rich consoles that print what anybody may have written."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from kafka_topology.topology.model.words import printable

from .streams import Guarded


class SafeConsole(Console):
    """Escapes each text. Colours and the movements of a progress bar are Rich's own and stay."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            text = segment.text
            if segment.control or text.isprintable() or text == "\n":
                yield segment
            else:
                yield Segment(printable(text), segment.style)


def safe_console(*, stderr: bool = False, **attributes: Any) -> SafeConsole:
    """A console of stdout or stderr. A bracket in a text is a bracket."""
    stream = sys.stderr if stderr else sys.stdout
    if isinstance(stream, Guarded):
        attributes["file"] = stream.unguarded
    return SafeConsole(stderr=stderr, highlight=False, markup=False, **attributes)
