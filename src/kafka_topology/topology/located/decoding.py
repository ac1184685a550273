"""One file being decoded: what is written, in words, and the problems met so far."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

from .entries import Origin, node_location
from .findings import Finding, Related, Severity
from .nodes import MappingNode, Node, ScalarNode, SequenceNode

# How YAML 1.2 writes nothing, true and false when they are not quoted.
NULLS = frozenset({"", "~", "null", "Null", "NULL"})
TRUE = frozenset({"true", "True", "TRUE"})
FALSE = frozenset({"false", "False", "FALSE"})
# Kafka's own limit. A longer name is no misspelling of anything.
MAX_NAME = 249


@dataclass(slots=True)
class Reading:
    """Where values come from, and the problems met so far."""

    origin: Origin
    findings: list[Finding] = field(default_factory=list)

    def problem(
        self,
        rule: str,
        node: Node,
        message: str,
        remediation: str,
        related: tuple[Related, ...] = (),
    ) -> None:
        at = node_location(node, self.origin.file)
        self.findings.append(Finding(rule, Severity.ERROR, message, at, "", remediation, related))

    def wrong(self, node: Node, expected: str, remediation: str = "") -> None:
        """KT003: the value is not what the field takes."""
        self.problem("KT003", node, f"expected {expected}, found {seen(node)}", remediation or f"write {expected}")

    def pairs(self, node: MappingNode) -> Iterator[tuple[ScalarNode, Node]]:
        """Names and values of a mapping, merge keys applied, each name once."""
        known: dict[str, Node] = {}
        merged: list[Node] = []
        for key, value in node.value:
            if type(key) is not ScalarNode or key.tag or (not key.style and key.value in NULLS):
                self.problem("KT003", key, f"expected a name, found {seen(key)}", "write a name, quoted if need be")
            elif key.value == "<<" and not key.style:
                merged.extend(value.value if type(value) is SequenceNode else [value])
            elif key.value in known:
                self._twice(key, known[key.value])
            else:
                known[key.value] = key
                yield key, value
        for part in merged:
            if type(part) is not MappingNode:
                self.problem("KT003", part, "a merge key takes a mapping", "refer to an anchor on a mapping")
                continue
            for key, value in self.pairs(part):
                if key.value not in known:
                    known[key.value] = key
                    yield key, value

    def _twice(self, key: ScalarNode, first: Node) -> None:
        at = node_location(first, self.origin.file)
        self.problem(
            "KT004",
            key,
            f"`{short(key.value)}` is here a second time; line {at.line} has it already",
            "keep one of the two",
            (Related(at, "first here"),),
        )


def seen(node: Node) -> str:
    """What is written, as a message calls it."""
    if isinstance(node, MappingNode):
        return "a mapping"
    if not isinstance(node, ScalarNode):
        return "a list"
    if node.tag:
        return f"the tag {short(node.tag)}"
    if not node.style and node.value in NULLS:
        return "nothing"
    return f'"{short(node.value)}"' if node.style else f"`{short(node.value)}`"


def short(text: str) -> str:
    """Text as a message quotes it: on one line, and not a page of it."""
    shown = text if len(text) <= 60 else text[:57] + "..."
    return shown if shown.isprintable() else shown.encode("unicode_escape").decode("ascii")


def suggestion(name: str, known: Collection[str]) -> str:
    """The known name that is nearest to a misspelt one, or nothing."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6) if len(name) <= MAX_NAME else []
    return near[0] if near else ""


def is_untagged_scalar(node: Node) -> TypeGuard[ScalarNode]:
    return type(node) is ScalarNode and not node.tag
