"""Topology files in one order and one layout: fields as the language declares them, indented by 2.

Whole lines are moved, never rewritten, so comments, quotes, anchors and flow style stay. A comment
belongs to what follows it, or to what it is indented under. Blank lines keep their places. The result is compared with
the original before anyone sees it: the same values in the same style, and not one character lost.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from ..language.document import DOCUMENT
from ..located.nodes import BadYaml, compose
from .layout import CannotFormat, Layout
from .ordering import language_order, part
from .written import Written, meaning, parse

# Line ends of YAML 1.1 that editors treat differently.
_ODD_LINE_END = re.compile("\r(?!\n)|[\x85\u2028\u2029]")


def format_text(text: str) -> str:
    """The formatted text. Raises CannotFormat if it is not YAML or its lines cannot be moved."""
    if _ODD_LINE_END.search(text):
        raise CannotFormat("a line does not end in a line feed")
    line_end = "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n"
    plain = text.replace("\r\n", "\n")
    root = _parsed(plain)
    if root is None:
        return text
    ordered = _with_ordered_flow(plain, root)
    for formatted in _layouts(ordered, root):
        if _is_same(plain, root, formatted):
            return formatted.replace("\n", line_end)
    raise CannotFormat("moving its lines would change its meaning")


def _layouts(text: str, root: Written) -> tuple[str, ...]:
    formatted = (
        Layout(text.split("\n")).document(root, DOCUMENT) if root.is_block and root.kind == "map" else text.rstrip("\n")
    )
    # A line end after a block of text at the very end would change its meaning.
    return formatted + "\n", formatted


def _parsed(text: str) -> Written | None:
    try:
        compose(text)
    except BadYaml as bad:
        raise CannotFormat(f"line {bad.line}: {bad.message}") from None
    return parse(text)


def _is_same(before: str, root: Written, after: str) -> bool:
    if Counter("".join(before.split())) != Counter("".join(after.split())):
        return False
    try:
        again = _parsed(after)
    except CannotFormat:
        return False
    return again is not None and meaning(again) == meaning(root)


def _with_ordered_flow(text: str, root: Written) -> str:
    """The text with the fields of every one-line `{…}` ordered. Its length, and so every place, stays the same."""
    changes: list[tuple[int, int, str]] = []

    def visit(node: Written, kind: Any) -> None:
        if node.flow:
            written = text[node.start.index : node.end.index]
            if "\n" not in written and "#" not in written:
                changes.append((node.start.index, node.end.index, _flow_text(text, node, kind)))
        elif node.kind == "map":
            for key, value in node.pairs:
                visit(value, part(kind, node, key.text))
        else:
            for child in node.children:
                visit(child, part(kind, node))

    visit(root, DOCUMENT)
    for start, end, ordered in changes:
        text = text[:start] + ordered + text[end:]
    return text


def _flow_text(text: str, node: Written, kind: Any) -> str:
    if not node.flow or not node.children:
        return text[node.start.index : node.end.index]
    if node.kind == "list":
        spans = [
            (child.start.index, child.end.index, _flow_text(text, child, part(kind, node))) for child in node.children
        ]
        order = list(range(len(spans)))
    else:
        spans = [
            (
                key.start.index,
                value.end.index,
                text[key.start.index : value.start.index] + _flow_text(text, value, part(kind, node, key.text)),
            )
            for key, value in node.pairs
        ]
        order = language_order(kind, node)
    parts = [text[node.start.index : spans[0][0]]]
    for place, position in enumerate(order):
        following = spans[place + 1][0] if place + 1 < len(spans) else node.end.index
        parts += [spans[position][2], text[spans[place][1] : following]]
    return "".join(parts)
