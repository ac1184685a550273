"""Builds HTML. Escapes all text that was not made here, so a name never becomes markup."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from kafka_topology.topology.model.words import visible

_EMPTY = {"meta", "input", "br", "rect"}
_SEPARATOR = re.compile(r"(?<=[._/:@=-])(?=[^._/:@=-])")


class Html(str):
    """Markup made by `el` or `raw`, which is not escaped again."""

    __slots__ = ()


def el(tag: str, /, *children: str | None, **attributes: Any) -> Html:
    """An element. `class_` is class, underscores are hyphens, None and False leave an attribute out."""
    start = f"<{tag}{''.join(_attribute(key, value) for key, value in attributes.items())}>"
    if tag in _EMPTY:
        return Html(start)
    return Html(f"{start}{join(*children)}</{tag}>")


def join(*children: str | None) -> Html:
    return Html("".join(text(child) for child in children if child is not None))


def text(content: str) -> Html:
    if isinstance(content, Html):
        return content
    return Html(escape(visible(content)))


def name(content: str) -> Html:
    """A name that may be broken after its separators, so a long one never has a break inside a word."""
    return Html("<wbr>".join(escape(part) for part in _SEPARATOR.split(visible(content))))


def prose(content: str) -> Html:
    """A sentence in which backticks mark code."""
    parts = content.split("`")
    return join(*(el("code", part) if number % 2 else part for number, part in enumerate(parts)))


def raw(markup: str) -> Html:
    """Markup from our own files and drawings."""
    return Html(markup)


def _attribute(key: str, value: Any) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(visible(str(value)))}"'
