"""Paragraphs for a terminal: indented, wrapped at its width, without control characters."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions
from rich.segment import Segment

from kafka_topology.topology.model.words import visible


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text after an optional label. `indent` starts the first line, `hanging` the others."""

    text: str
    label: str = ""
    style: str = ""
    label_style: str = ""
    indent: str = "  "
    hanging: str = "  "

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        # Segments, because Text takes a hundred times as long, and there may be thousands of findings.
        style = console.get_style(self.style) if self.style else None
        lines = _wrapped(self.label + visible(self.text), max(20, options.max_width), self.indent, self.hanging)
        for number, line in enumerate(lines):
            rest = line
            if number == 0 and self.label:
                end = len(self.indent) + len(self.label.rstrip())
                yield Segment(self.indent, style)
                yield Segment(
                    line[len(self.indent) : end], console.get_style(f"{self.style} {self.label_style}".strip())
                )
                rest = line[end:]
            yield Segment(rest, style)
            yield Segment.line()


def _wrapped(text: str, width: int, indent: str, hanging: str) -> list[str]:
    """As `textwrap.wrap` without breaking words, which is slow."""
    if "  " in text:
        return textwrap.wrap(
            text,
            width,
            initial_indent=indent,
            subsequent_indent=hanging,
            break_long_words=False,
            break_on_hyphens=False,
        )
    lines: list[str] = []
    words: list[str] = []
    used = len(indent)
    for word in text.split():
        if words and used + len(words) + len(word) > width:
            lines.append((hanging if lines else indent) + " ".join(words))
            words, used = [], len(hanging)
        words.append(word)
        used += len(word)
    if words:
        lines.append((hanging if lines else indent) + " ".join(words))
    return lines
