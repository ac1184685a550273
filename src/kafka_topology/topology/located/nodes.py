"""Parses text to YAML nodes: fast, with the place of each node, and safe on hostile input.

Nothing is interpreted here. The types that YAML 1.1 would guess (`no` is a boolean, `012` is ten) are not resolved:
the language defines what each field is, and the decoder reads the text accordingly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml
from yaml._yaml import CParser
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

# The C parser recurses, and so do we: depth is limited while the tree is built, and again through aliases.
MAX_DEPTH = 64
# How many times larger aliases may make a file.
MAX_ALIAS_GROWTH = 20
FREE_ALIAS_NODES = 100_000

_ALIAS = re.compile(r"\*[A-Za-z0-9_-]")
# Only libyaml takes these as line breaks, so every line number after one would be wrong.
_ODD_LINE_BREAK = re.compile(r"[\x85\u2028\u2029]")
_NOT_PRINTABLE = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


class BadYaml(Exception):
    """Text that YAML forbids or that we refuse to read. Line and column count from 1."""

    def __init__(self, message: str, fix: str, line: int, column: int) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix
        self.line = line
        self.column = column


class _PlainParser(CParser):
    """libyaml's parser without resolving types, which takes most of the time."""

    def resolve(self, kind: type[Node], value: object, implicit: object) -> str:  # noqa: ARG002
        return ""

    depth = 0

    def descend_resolver(self, parent: Node | None, index: object) -> None:  # noqa: ARG002
        self.depth += 1
        if self.depth > MAX_DEPTH and parent is not None:
            raise _too_deep(parent)

    def ascend_resolver(self) -> None:
        self.depth -= 1


def compose(text: str) -> Node | None:
    """The root node of the only document; None if the text holds only comments."""
    odd = _ODD_LINE_BREAK.search(text) if not text.isascii() else None
    if odd is not None:
        raise BadYaml(
            f"the line separator U+{ord(odd[0]):04X} is ambiguous: not every program breaks the line there",
            f'remove it, or write "\\u{ord(odd[0]):04x}" in quotes',
            *position(text, odd.start()),
        )
    try:
        root = _PlainParser(text).get_single_node()
    except yaml.MarkedYAMLError as error:
        raise _bad_yaml(error, text) from None
    except (yaml.YAMLError, UnicodeEncodeError):
        raise _bad_character(text) from None
    if isinstance(root, ScalarNode) and not (root.value or root.style or root.tag):
        return None  # document markers around nothing
    if root is not None and "&" in text and _ALIAS.search(text):
        _refuse_alias_bomb(root)
    return root


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, counted from 1, as YAML and editors count them."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    breaks = text.count("\n", 0, offset) + text.count("\r", 0, offset) - text.count("\r\n", 0, offset)
    return breaks + 1, offset - start + 1


def _too_deep(node: Node) -> BadYaml:
    return BadYaml(
        f"the document is nested more than {MAX_DEPTH} levels deep",
        "flatten it: a topology needs only a few levels",
        node.start_mark.line + 1,
        node.start_mark.column + 1,
    )


def _refuse_alias_bomb(root: Node) -> None:
    """Count each node as often as aliases repeat it, and measure the depth."""
    measures: dict[int, tuple[int, int]] = {}
    unfinished = (-1, -1)

    # An alias comes after its anchor, so its node is measured already: recursion is only as deep as the text.
    def measure(node: Node) -> tuple[int, int]:
        known = measures.get(id(node))
        if known is unfinished:
            raise BadYaml(
                "an alias refers to the node that contains it",
                "remove the alias",
                node.start_mark.line + 1,
                node.start_mark.column + 1,
            )
        if known is not None:
            return known
        measures[id(node)] = unfinished
        size, depth = 1, 0
        for child in children(node):
            child_size, child_depth = measure(child)
            size += child_size
            depth = max(depth, child_depth)
        if depth >= MAX_DEPTH:
            raise _too_deep(node)
        measures[id(node)] = size, depth + 1
        return measures[id(node)]

    size, _ = measure(root)
    limit = max(FREE_ALIAS_NODES, MAX_ALIAS_GROWTH * len(measures))
    if size > limit:
        raise BadYaml(
            f"aliases expand {len(measures):,} nodes to more than {limit:,}",
            "use profiles instead of nested anchors",
            root.start_mark.line + 1,
            root.start_mark.column + 1,
        )


def children(node: Node) -> Iterator[Node]:
    if isinstance(node, MappingNode):
        for key, value in node.value:
            yield key
            yield value
    elif isinstance(node, SequenceNode):
        yield from node.value


def _bad_yaml(error: yaml.MarkedYAMLError, text: str) -> BadYaml:
    mark = error.problem_mark or error.context_mark
    if (error.context or "").startswith(("while parsing a flow", "while scanning a quoted")):
        mark = error.context_mark  # point at the open bracket or quote, not at the end of the file
    # Point at the end of the last line, not below it.
    last = position(text, len(text.rstrip("\r\n")))
    line, column = min((mark.line + 1, mark.column + 1), last) if mark else (1, 1)
    problem = error.problem or "the YAML cannot be read"
    message = f"{error.context}: {problem}" if error.context else problem
    if "expected a single document" in message:
        return BadYaml("a second document starts here", "keep one document per file", line, column)
    return BadYaml(f"invalid YAML: {message}", _fix(problem), line, column)


_FIXES = {
    "cannot start any token": "indent with spaces, and quote text that starts with @, ` or %",
    "mapping values are not allowed": "quote text that contains a colon, or correct the indentation",
    "unexpected end of stream": "close the quote that starts here",
    "did not find expected ','": "close the bracket that starts here, or separate its items by commas",
    "did not find expected node content": "write a value here, or close the open bracket",
    "did not find expected": "correct the indentation here or on the line above",
    "could not find expected ':'": "write `name: value`",
    "found undefined alias": "define the anchor before its alias",
    "found duplicate anchor": "give each anchor its own name",
}


def _fix(problem: str) -> str:
    return next((fix for part, fix in _FIXES.items() if part in problem), "correct the YAML here")


def _bad_character(text: str) -> BadYaml:
    match = _NOT_PRINTABLE.search(text)
    if match is None:
        return BadYaml("the file cannot be read as YAML", "save it as plain UTF-8 text", 1, 1)
    message = f"the control character U+{ord(match[0]):04X} is not allowed in YAML"
    return BadYaml(message, "remove the character", *position(text, match.start()))


__all__ = [
    "BadYaml",
    "MappingNode",
    "Node",
    "ScalarNode",
    "SequenceNode",
    "compose",
    "position",
]
