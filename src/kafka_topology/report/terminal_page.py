"""Markdown for a terminal: plain headings, coloured code, nothing centred."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.padding import Padding
from rich.syntax import Syntax
from rich.text import Text


class _Heading(Heading):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        heading = self.text.copy()
        heading.justify = "left"
        heading.stylize("bold cyan" if self.tag == "h1" else "bold")
        yield from _lines(heading, above=self.tag != "h1")


class _Code(CodeBlock):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        yield Padding(Syntax(code, self.lexer_name, theme="ansi_dark", background_color="default"), (0, 0, 0, 4))


class _Page(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _Heading,
        "fence": _Code,
    }


def terminal_page(page: str) -> Markdown:
    return _Page(page)


def _lines(heading: Text, *, above: bool) -> Iterator[Text]:
    if above:
        yield Text("")
    yield heading
