"""Decodes the nodes of one file, collects findings, and describes nodes in messages."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

from ..model.findings import Finding, Related, Severity
from ..model.units import parse_integer
from ..model.words import escaped
from .entries import Origin, node_location
from .nodes import MappingNode, Node, ScalarNode, SequenceNode

# Null, true and false of YAML 1.2, when not quoted.
NULLS = frozenset({"", "~", "null", "Null", "NULL"})
TRUE = frozenset({"true", "True", "TRUE"})
FALSE = frozenset({"false", "False", "FALSE"})
# Kafka's own limit. A longer name is no typo.
MAX_NAME = 249


@dataclass(slots=True)
class Reading:
    """Where values come from, which of them a message must not quote, and the findings so far."""

    origin: Origin
    findings: list[Finding] = field(default_factory=list)
    secrets: Container[Node] = ()

    def inside(self, origin: Origin) -> Reading:
        """For the values of another layer of the same file."""
        return Reading(origin, self.findings, self.secrets)

    def problem(
        self,
        rule: str,
        node: Node,
        message: str,
        fix: str,
        related: tuple[Related, ...] = (),
    ) -> None:
        at = node_location(node, self.origin.file)
        self.findings.append(Finding(rule, Severity.ERROR, message, at, "", fix, related))

    def wrong(self, node: Node, expected: str, fix: str = "") -> None:
        """KT003: the field does not accept this value."""
        self.problem("KT003", node, f"expected {expected}, found {self.seen(node)}", fix or f"write {expected}")

    def seen(self, node: Node) -> str:
        """The node as a message calls it."""
        if not isinstance(node, ScalarNode) or node not in self.secrets or (not node.style and node.value in NULLS):
            return seen(node)
        return "a number" if not node.style and parse_integer(node.value) is not None else "a text"

    def pairs(self, node: MappingNode) -> Iterator[tuple[ScalarNode, Node]]:
        """Names and values of a mapping, merge keys applied, each name once."""
        known: dict[str, Node] = {}
        merged: list[Node] = []
        merge_key: ScalarNode | None = None
        for key, value in node.value:
            if type(key) is not ScalarNode or key.tag or (not key.style and key.value in NULLS):
                self.problem(
                    "KT003", key, f"expected a name, found {self.seen(key)}", "write a name; quote it if necessary"
                )
            elif key.value == "<<" and not key.style:
                if merge_key is not None:
                    self.twice(key, merge_key)
                merge_key = merge_key or key
                merged.extend(value.value if type(value) is SequenceNode else [value])
            elif key.value in known:
                self.twice(key, known[key.value])
            else:
                known[key.value] = key
                yield key, value
        for part in merged:
            if type(part) is not MappingNode:
                self.problem("KT003", part, "a merge key (<<) needs a mapping", "refer to an anchor on a mapping")
                continue
            for key, value in self.pairs(part):
                if key.value not in known:
                    known[key.value] = key
                    yield key, value

    def twice(self, again: Node, first: Node) -> None:
        """KT004: a name, or an item of a list, that is there already."""
        at = node_location(first, self.origin.file)
        self.problem(
            "KT004",
            again,
            f"`{short(again.value)}` is a duplicate; line {at.line} has it already",
            "keep one of the two",
            (Related(at, "first here"),),
        )


def seen(node: Node) -> str:
    """The node as a message calls it."""
    tagged = f" with the tag {short(node.tag)}" if node.tag else ""
    if isinstance(node, MappingNode):
        return ("a mapping" if node.value else "an empty mapping") + tagged
    if not isinstance(node, ScalarNode):
        return ("a list" if node.value else "an empty list") + tagged
    if node.tag:
        return f"the tag {short(node.tag)}"
    if not node.style and node.value in NULLS:
        return "nothing"
    return f'"{short(node.value)}"' if node.style else f"`{short(node.value)}`"


def short(text: str) -> str:
    """Text as a message quotes it: short, and on one line."""
    return escaped(text if len(text) <= 60 else text[:57] + "...")


def is_untagged_scalar(node: Node) -> TypeGuard[ScalarNode]:
    return type(node) is ScalarNode and not node.tag
