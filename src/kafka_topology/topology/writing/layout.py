"""Reorders the lines of a YAML text and indents them by 2, with their comments."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import Any

from .ordering import language_order, part
from .written import Written

# Lines that stay at the top of a file.
_HEADER_LINE = re.compile(r"\s*$|---|%|#.*yaml-language-server")
_ANY = sys.maxsize


class CannotFormat(Exception):
    """The text cannot be formatted; the message says why."""


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines of a block, from its own column on; `lead` are those above its first name or dash."""

    lead: list[str]
    body: list[str]

    @property
    def lines(self) -> list[str]:
        return self.lead + self.body


@dataclass(frozen=True, slots=True)
class _Gap:
    """Comments and blank lines between two entries: those inside the first, and those above the second."""

    inside: list[str]
    blanks: int
    leading: list[str]


class Layout:
    """Lays out the lines of one text; lines and columns count from 0."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def document(self, root: Written, kind: Any) -> str:
        first = root.children[0].start
        if self._lines[first.line][: first.column].strip():
            raise CannotFormat("the document starts on the same line as a `---` mark")
        above = self._lines[: first.line]
        headers = [number for number, line in enumerate(above) if _HEADER_LINE.match(line)]
        split = headers[-1] + 1 if headers else 0
        below = self._lines[self._last_line(root) + 1 :]
        _only_comments(below)
        block = self._map(root, kind, above[split:], below)
        lines = [line.rstrip() for line in above[:split]] + block.lines
        return "\n".join(lines).strip("\n")

    def _block(self, node: Written, kind: Any, above: list[str], below: list[str]) -> _Block:
        return (self._map if node.kind == "map" else self._list)(node, kind, above, below)

    def _map(self, node: Written, kind: Any, above: list[str], below: list[str]) -> _Block:
        pairs = node.pairs
        column = pairs[0][0].start.column
        starts = [key.start.line for key, _ in pairs]
        for key, _ in pairs:
            if key.kind != "scalar" or key.start.line != key.end.line or key.style in ("|", ">"):
                raise CannotFormat(f"line {key.start.line + 1}: the name is not plain text on one line")
            before = self._lines[key.start.line][: key.start.column].strip()
            if before and (key is not pairs[0][0] or set(before) - set("- ")):
                raise CannotFormat(f"line {key.start.line + 1}: the name is not the first text on its line")
        ends = [self._last_line(value) for _, value in pairs]
        values = [value for _, value in pairs]
        gaps = self._gaps(starts, ends, values, column, below)
        leading = [_leading(above), *(gap.leading for gap in gaps)]
        blanks = [_blanks_first(above), *(gap.blanks for gap in gaps)]
        bodies = [
            self._entry(key, value, column, part(kind, node, key.text), gap.inside)
            for (key, value), gap in zip(pairs, gaps, strict=True)
        ]
        return _arranged(language_order(kind, node), leading, blanks, bodies)

    def _entry(self, key: Written, value: Written, column: int, kind: Any, inside: list[str]) -> list[str]:
        line = key.start.line
        header = self._lines[line][column:].rstrip()
        if not value.is_block:
            return [header, *self._raw(value, line, column), *_indented([comment.strip() for comment in inside])]
        return [header, *_indented(self._child(value, kind, line, inside).lines)]

    def _child(self, value: Written, kind: Any, line: int, inside: list[str]) -> _Block:
        """The block of a value that starts below the line of its name or dash."""
        above = self._lines[line + 1 : self._first_line(value)]
        _only_comments(above)
        return self._block(value, kind, above, inside)

    def _list(self, node: Written, kind: Any, above: list[str], below: list[str]) -> _Block:
        dashes = [self._dash(child) for child in node.children]
        column = dashes[0][1]
        ends = [max(line, self._last_line(child)) for child, (line, _) in zip(node.children, dashes, strict=True)]
        gaps = self._gaps([line for line, _ in dashes], ends, node.children, column, below)
        leading = [_leading(above), *(gap.leading for gap in gaps)]
        blanks = [_blanks_first(above), *(gap.blanks for gap in gaps)]
        bodies = []
        for position, (child, (line, _)) in enumerate(zip(node.children, dashes, strict=True)):
            item = self._item(child, line, column, part(kind, node), gaps[position].inside)
            leading[position] = leading[position] + item.lead
            bodies.append(item.body)
        return _arranged(list(range(len(bodies))), leading, blanks, bodies)

    def _item(self, child: Written, line: int, column: int, kind: Any, inside: list[str]) -> _Block:
        rest = self._lines[line][column + 1 :].strip()
        if not child.is_block:
            comments = _indented([comment.strip() for comment in inside])
            return _Block([], [f"- {rest}".rstrip(), *self._raw(child, line, column), *comments])
        if self._first_line(child) == line:
            block = self._block(child, kind, [], inside)
        elif rest and not rest.startswith("#"):  # an anchor or a tag
            return _Block([], [f"- {rest}", *_indented(self._child(child, kind, line, inside).lines)])
        else:
            block = self._child(child, kind, line, inside)
        # A comment between the dash and the first name goes above the dash.
        above = [comment for comment in [rest if rest.startswith("#") else "", *block.lead] if comment]
        return _Block(above, [f"- {block.body[0]}", *_indented(block.body[1:])])

    def _raw(self, value: Written, line: int, column: int) -> list[str]:
        """The further lines of a value that is moved unchanged."""
        last = self._last_line(value)
        lines = [_dedented(self._lines[number], column) for number in range(line + 1, last + 1)]
        if lines and value.style not in ("|", ">"):
            lines[-1] = lines[-1].rstrip()
        return lines

    def _gaps(
        self, starts: list[int], ends: list[int], values: list[Written], column: int, below: list[str]
    ) -> list[_Gap]:
        gaps = []
        for position, end in enumerate(ends):
            is_last = position + 1 == len(starts)
            between = below if is_last else self._lines[end + 1 : starts[position + 1]]
            _only_comments(between)
            # Indented below a block of text, a comment would become part of it.
            is_text = values[position].style in ("|", ">")
            gaps.append(_split(between, _ANY if is_text else column))
        return gaps

    def _dash(self, child: Written) -> tuple[int, int]:
        """Line and column of the dash before a list's item."""
        line, before = child.start.line, self._lines[child.start.line][: child.start.column]
        while not before.rstrip().endswith("-"):
            line -= 1
            before = self._lines[line].split("#")[0]
            if line < 0 or (before.strip() and not before.rstrip().endswith("-")):
                raise CannotFormat(f"line {child.start.line + 1}: the dash of this item is not directly before it")
        return line, len(before.rstrip()) - 1

    def _first_line(self, node: Written) -> int:
        first = node.children[0]
        return self._dash(first)[0] if node.kind == "list" else first.start.line

    def _last_line(self, node: Written) -> int:
        if node.is_block:
            return max(self._last_line(child) for child in node.children)
        last = node.end.line
        if node.style in ("|", ">"):
            last -= node.end.column == 0
            while last > node.start.line and not self._lines[last].strip():
                last -= 1
        return last


def _arranged(order: list[int], leading: list[list[str]], blanks: list[int], bodies: list[list[str]]) -> _Block:
    """Entries in order, each with the comments above it. Blank lines stay in place."""
    lead = [""] * blanks[0] + leading[order[0]]
    body = list(bodies[order[0]])
    for place, position in enumerate(order[1:], 1):
        body += [""] * blanks[place] + leading[position] + bodies[position]
    if leading[-1]:  # comments below the last entry
        body += [""] * blanks[-1] + leading[-1]
    return _Block(lead, body)


def _split(gap: list[str], column: int) -> _Gap:
    """Leading comments that are indented deeper than the column: they belong to the entry above."""
    first = next((n for n, line in enumerate(gap) if line.strip() and _indent(line) <= column), len(gap))
    inside = gap[:first]
    while inside and not inside[-1].strip():
        inside.pop()
    return _Gap(inside, first - len(inside), [line.strip() for line in gap[first:]])


def _leading(above: list[str]) -> list[str]:
    return [line.strip() for line in above[_blanks_first(above) :]]


def _blanks_first(lines: list[str]) -> int:
    return next((number for number, line in enumerate(lines) if line.strip()), len(lines))


def _only_comments(lines: list[str]) -> None:
    for line in lines:
        if line.strip() and not line.lstrip().startswith("#"):
            raise CannotFormat(f"`{line.strip()}` is in a place where only comments can be moved")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" if line else "" for line in lines]


def _dedented(line: str, column: int) -> str:
    return line[min(column, len(line) - len(line.lstrip(" "))) :]
