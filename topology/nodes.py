"""Text to YAML nodes: quick, every node with its place, and safe on hostile input.

Nothing is interpreted here. Tags that YAML 1.1 would guess (`no` is a boolean, `012` is ten) are not resolved at all:
the language says what each field is, and the decoder reads the text accordingly.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager

import yaml
from yaml._yaml import CParser
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

# The C parser composes recursively, so depth is bounded before it starts.
MAX_DEPTH = 64
# How much larger than what is written a file may grow through its aliases.
MAX_ALIAS_GROWTH = 20
FREE_ALIAS_NODES = 100_000

_BRACKET = re.compile(r"[\[\]{}]")
_DEEP_BLOCK = re.compile(rf"^ {{{2 * MAX_DEPTH}}}|(?:[-?][ \t]+){{{MAX_DEPTH}}}", re.MULTILINE)
_PERHAPS_ALIAS = re.compile(r"(?:^|[\s\[,{:-])\*[^\s\"',\]}]", re.MULTILINE)


class BadYaml(Exception):
    """What YAML itself forbids or what this product refuses to read; line and column count from 1."""

    def __init__(self, message: str, remediation: str, line: int, column: int) -> None:
        super().__init__(message)
        self.message = message
        self.remediation = remediation
        self.line = line
        self.column = column


class _PlainParser(CParser):
    """libyaml's parser without the guessing of types, which costs most of the time."""

    def resolve(self, kind: type[Node], value: object, implicit: object) -> str:  # noqa: ARG002
        return ""

    def descend_resolver(self, parent: object, index: object) -> None:
        pass

    def ascend_resolver(self) -> None:
        pass


def compose(text: str) -> Node | None:
    """The root node of the only document in the text; None when there is nothing but comments."""
    try:
        if _perhaps_deep(text):
            _refuse_deep(text)
        root = _PlainParser(text).get_single_node()
    except yaml.MarkedYAMLError as error:
        raise _bad_yaml(error) from None
    except (yaml.YAMLError, UnicodeEncodeError) as error:
        raise _bad_character(text, error) from None
    if root is not None and _PERHAPS_ALIAS.search(text):
        _refuse_alias_bomb(root)
    return root


@contextmanager
def many_new_objects() -> Iterator[None]:
    """Holds the cyclic collector back while a tree is built: it would walk the growing tree again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _perhaps_deep(text: str) -> bool:
    """A cheap upper bound: brackets in quotes and comments count too."""
    depth = deepest = 0
    for match in _BRACKET.finditer(text):
        if match[0] in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif depth:
            depth -= 1
    return deepest >= MAX_DEPTH or _DEEP_BLOCK.search(text) is not None


def _refuse_deep(text: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                mark = event.start_mark
                raise BadYaml(
                    f"the document is nested more than {MAX_DEPTH} levels deep",
                    "a topology needs no more than a handful of levels",
                    *((mark.line + 1, mark.column + 1) if mark is not None else (1, 1)),
                )
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _refuse_alias_bomb(root: Node) -> None:
    """Counts each node as often as aliases repeat it."""
    sizes: dict[int, int] = {}

    def size(node: Node) -> int:
        known = sizes.get(id(node))
        if known is not None:
            if known < 0:
                raise BadYaml(
                    "an alias refers to the node that contains it",
                    "remove the alias",
                    node.start_mark.line + 1,
                    node.start_mark.column + 1,
                )
            return known
        sizes[id(node)] = -1
        total = 1 + sum(size(child) for child in children(node))
        sizes[id(node)] = total
        return total

    expanded = size(root)
    if expanded > max(FREE_ALIAS_NODES, MAX_ALIAS_GROWTH * len(sizes)):
        raise BadYaml(
            f"aliases make {len(sizes):,} nodes stand for {expanded:,}",
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


def _bad_yaml(error: yaml.MarkedYAMLError) -> BadYaml:
    mark = error.problem_mark or error.context_mark
    if (error.context or "").startswith(("while parsing a flow", "while scanning a quoted")):
        mark = error.context_mark  # what is left open is to be mended, not the end of the file
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    problem = error.problem or "the YAML cannot be read"
    message = f"{error.context}: {problem}" if error.context else problem
    if "expected a single document" in message:
        return BadYaml("a second document starts here", "keep one document a file", line, column)
    return BadYaml(f"invalid YAML: {message}", _remedy(problem), line, column)


_REMEDIES = {
    "cannot start any token": "indent with spaces, and quote text that starts with @, ` or %",
    "mapping values are not allowed": "quote text that contains a colon, or mend the indentation",
    "unexpected end of stream": "close the quote that starts here",
    "did not find expected ','": "close the bracket that starts here, or separate its items by commas",
    "did not find expected": "mend the indentation here or on the line above",
    "could not find expected ':'": "write `name: value`",
    "found undefined alias": "define the anchor before its alias",
    "found duplicate anchor": "give each anchor a name of its own",
}


def _remedy(problem: str) -> str:
    return next((remedy for part, remedy in _REMEDIES.items() if part in problem), "mend the YAML here")


def _bad_character(text: str, error: yaml.YAMLError | UnicodeEncodeError) -> BadYaml:
    position = error.start if isinstance(error, UnicodeEncodeError) else getattr(error, "position", 0)
    line = text.count("\n", 0, position) + 1
    column = position - (text.rfind("\n", 0, position) + 1) + 1
    return BadYaml("a control character is not allowed in YAML", "remove the character", line, column)


__all__ = [
    "BadYaml",
    "MappingNode",
    "Node",
    "ScalarNode",
    "SequenceNode",
    "compose",
    "many_new_objects",
]
