"""The nodes of a file that may hold a secret. Messages do not quote them, and excerpts mask them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from ..kafka.secrets import PUBLIC, has_secret, is_placeholder, may_name_secret, without_secrets
from ..model.words import comes_close
from .nodes import MappingNode, Node, ScalarNode, children

_USERS = "users"
_PUBLIC_OF_USER = ("mechanism", "iterations")
_NAMES_IN_USER = (*_PUBLIC_OF_USER, "password", "secret")
# How a line of YAML starts that cannot be parsed: its indentation, dashes and the name before the colon.
_NAME = re.compile(r"""([{,\s-]|^)("[^"]*"|'[^']*'|[^\s{},\[\]"'#&*!|>-][^\s{},\[\]"'#]*)\s*:(?=\s|$)""")

_PUBLIC_LINE = re.compile(rf"\s*(?:{'|'.join(_PUBLIC_OF_USER)})\s*:\s+[\w-]+\s*")
_NOT_SPACE = re.compile(r"\S")


class Secrets:
    """The places in one file that may hold a secret: everything a user has, and values whose name or form says so."""

    def __init__(self, text: str, root: Node | None) -> None:
        self._text = text
        self._root = root  # None if the file is not YAML

    def __contains__(self, node: object) -> bool:
        return id(node) in self._nodes

    def masked(self, number: int, line: str) -> str:
        """A line of the file, with asterisks in place of every secret. It keeps its length."""
        for start, end in self._spans.get(number, ()) if self._root is not None else self._guessed(number, line):
            line = line[:start] + _NOT_SPACE.sub("*", line[start:end]) + (line[end:] if end is not None else "")
        return line

    @cached_property
    def _nodes(self) -> dict[int, Node]:
        return {id(node): node for node in _of_document(self._root)} if self._root is not None else {}

    @cached_property
    def _spans(self) -> dict[int, list[tuple[int, int | None]]]:
        spans: dict[int, list[tuple[int, int | None]]] = {}
        for node in self._nodes.values():
            start, end = node.start_mark, node.end_mark
            for line in range(start.line, end.line + 1):
                first = start.column if line == start.line else 0
                last = end.column if line == end.line else None
                spans.setdefault(line + 1, []).append((first, last))
        return spans

    def _guessed(self, number: int, line: str) -> Iterator[tuple[int, int | None]]:
        """Without a tree: hide the rest of a line after a name that may hold a secret, and what is indented below."""
        if number in self._lines_below_secrets:
            if not _PUBLIC_LINE.fullmatch(line):
                name = _NAME.search(line)
                yield name.end() if name is not None and not line[: name.start()].strip(" -") else 0, None
            return
        for name in _NAME.finditer(line):
            if _may_hold_secret(name[2]):
                yield name.end(), None
        if without_secrets(line) != line:
            yield 0, None

    @cached_property
    def _lines_below_secrets(self) -> set[int]:
        below: set[int] = set()
        indent = None
        for number, line in enumerate(re.split(r"\r\n?|\n", self._text), 1):
            if not line.strip():
                continue
            depth = len(line) - len(line.lstrip(" "))
            if indent is not None and depth > indent:
                below.add(number)
                continue
            found = [name for name in _NAME.finditer(line) if _may_hold_secret(name[2])]
            indent = depth if found else None
        return below


def _may_hold_secret(written: str) -> bool:
    name = written.strip("\"'")
    return name == _USERS or may_name_secret(name)


def _of_document(root: Node) -> Iterator[Node]:
    yield from _below(root, set())
    for name, section in _pairs(root):
        if name == "environments":
            for _, environment in _pairs(section):
                yield from _of_users(environment)
    yield from _of_users(root)


def _of_users(sections: Node) -> Iterator[Node]:
    for section, users in _pairs(sections):
        if not comes_close(section, (_USERS,), 0.75):
            continue
        if not isinstance(users, MappingNode):
            yield from _scalars(users)
        for _, user in _pairs(users):
            yield from _of_user(user)


def _of_user(node: Node) -> Iterator[Node]:
    """All values except the public ones, and names without a value, which are values in the wrong place."""
    if not isinstance(node, MappingNode):
        yield from _scalars(node)
        return
    for key, value in node.value:
        name = key.value if isinstance(key, ScalarNode) else ""
        if not (isinstance(value, ScalarNode) and name in _PUBLIC_OF_USER):
            yield from _of_user(value)
        is_empty = isinstance(value, ScalarNode) and not value.value
        if not name or (is_empty and not comes_close(name, _NAMES_IN_USER)):
            yield from _scalars(key)


def _below(node: Node, visited: set[int]) -> Iterator[Node]:
    """Values anywhere whose name or form says that they are secret."""
    if id(node) in visited:
        return
    visited.add(id(node))
    if isinstance(node, ScalarNode):
        if has_secret(node.value):
            yield node
        return
    for name, value in _pairs(node):
        # A mapping is a resource with such a name, not a value.
        if not isinstance(value, MappingNode) and may_name_secret(name) and not name.endswith(PUBLIC):
            yield from (scalar for scalar in _scalars(value) if not is_placeholder(scalar.value, name))
    for child in children(node):
        yield from _below(child, visited)


def _pairs(node: Node) -> Iterator[tuple[str, Node]]:
    if isinstance(node, MappingNode):
        for key, value in node.value:
            if isinstance(key, ScalarNode):
                yield key.value, value


def _scalars(node: Node) -> Iterator[ScalarNode]:
    if isinstance(node, ScalarNode):
        if node.value or node.tag:
            yield node
        return
    for child in children(node):
        yield from _scalars(child)
