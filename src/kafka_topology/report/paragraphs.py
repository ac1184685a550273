"""Paragraphs for a terminal: indented, wrapped at its width, without control characters."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions
from rich.text import Text

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

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        lines = textwrap.wrap(
            self.label + visible(self.text),
            max(20, options.max_width),
            initial_indent=self.indent,
            subsequent_indent=self.hanging,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for number, line in enumerate(lines):
            text = Text(line, style=self.style, no_wrap=True, overflow="ignore")
            if number == 0 and self.label:
                text.stylize(self.label_style, len(self.indent), len(self.indent) + len(self.label.rstrip()))
            yield text
