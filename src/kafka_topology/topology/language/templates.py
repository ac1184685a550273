"""`forEach` of a topic: one entry that stands for many similar topics.

An entry is expanded before anything is decoded, by putting an item's values in place of `${each}` and `${each.name}`.
There are no expressions and no nesting. Every value keeps the place of the template; the item is kept beside it, so a
finding can show both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ..located.building import Building
from ..located.decoding import NULLS, Reading, is_untagged_scalar, short
from ..located.entries import BROKEN, Entry, node_location
from ..located.nodes import MappingNode, Node, ScalarNode, SequenceNode, children
from ..model.findings import Related
from ..model.placeholders import LOOKS_LIKE_ONE, PLACEHOLDER
from ..model.places import Location
from ..model.words import did_you_mean
from .fields import Json, SchemaScope
from .structures import MapOf

FOR_EACH = "forEach"
MAX_ITEMS = 1_000
# How many values all templates of a section may make.
MAX_VALUES = 500_000

_NAME = r"[A-Za-z][A-Za-z0-9_]*"

Values = Mapping[str, ScalarNode]  # by the name of the variable; "" is the item itself


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a list: its node, and its values by variable."""

    node: Node
    values: Values

    @property
    def label(self) -> str:
        return ", ".join(node.value for node in self.values.values())


@dataclass(frozen=True, slots=True)
class ForEach:
    """The kind of the field. A file writes a list; an expanded topic holds the place of its item."""

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        fix = "write `forEach` directly in the topic's own mapping"
        return reading.wrong(node, "`forEach` in the topic itself, not merged into it", fix)

    def build(self, entry: Entry, building: Building) -> Location:  # noqa: ARG002 - same for all kinds
        return entry.location

    def schema(self, scope: SchemaScope) -> Json:  # noqa: ARG002
        scalar = {"type": ["string", "number", "boolean"]}
        variables = {
            "type": "object",
            "propertyNames": {"pattern": f"^{_NAME}$"},
            "additionalProperties": scalar,
            "minProperties": 1,
        }
        bounds = {"type": "array", "minItems": 1, "maxItems": MAX_ITEMS, "uniqueItems": True}
        return {"oneOf": [{**bounds, "items": scalar}, {**bounds, "items": variables}]}

    def dump(self, value: object) -> object:  # noqa: ARG002 - a resolved topic is one of the instances
        return []

    def describe(self) -> str:
        return "a list of values, or of mappings of values"


@dataclass(frozen=True, slots=True)
class TopicMap(MapOf):
    """Topics by name, with those that `forEach` makes."""

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        if type(node) is not MappingNode or not any(_own_field(value) for _, value in node.value):
            return MapOf.decode(self, node, reading)
        plain = [(key, value) for key, value in node.value if _own_field(value) is None]
        rest = MappingNode(node.tag, plain, node.start_mark, node.end_mark, node.flow_style)
        decoded = MapOf.decode(self, rest, reading)
        if decoded is None:
            return None
        expansion = _Expansion(self, reading, decoded.value)
        for key, value in node.value:
            if _own_field(value) is not None:
                expansion.add(key, value)
        return Entry(_in_file_order(decoded.value, node), node, reading.origin)

    def one(self, name: ScalarNode, topic: Node, reading: Reading) -> Entry | None:
        """A single topic."""
        alone = MappingNode("", [(name, topic)], name.start_mark, topic.end_mark, False)
        decoded = MapOf.decode(self, alone, reading)
        return decoded.value.get(name.value) if decoded is not None else None


@dataclass(slots=True)
class _Expansion:
    """Adds the topics of templates to those of a section."""

    topics: TopicMap
    reading: Reading
    into: dict[str, Entry]
    left: int = MAX_VALUES

    def add(self, key: Node, value: Node) -> None:
        listed = _own_field(value)
        if not isinstance(value, MappingNode) or listed is None:
            return
        if not is_untagged_scalar(key) or (not key.style and key.value in NULLS):
            message = f"expected a name, found {self.reading.seen(key)}"
            self.reading.problem("KT003", key, message, "write a name with a placeholder")
            return
        items = _items(listed, self.reading)
        body = [(name, child) for name, child in value.value if not _is_field(name)]
        template = MappingNode(value.tag, body, value.start_mark, value.end_mark, value.flow_style)
        if not items or not _is_sound(key, template, items, self.reading):
            return
        self.left -= len(items) * _count(template)
        if self.left < 0:
            message = f"the templates make more than {MAX_VALUES:,} values"
            self.reading.problem("KT003", listed, message, "split the topology, or write smaller templates")
            return
        for item in items:
            self._instance(key, template, item)

    def _instance(self, key: ScalarNode, template: MappingNode, item: Item) -> None:
        reading, file = self.reading, self.reading.origin.file
        name = _substituted(key, item.values)
        known = self.into.get(name.value)
        if known is not None:
            first = node_location(known.key or known.node, file)
            message = f"`{short(name.value)}` is a duplicate; line {first.line} declares it already"
            places = (Related(first, "first here"), Related(node_location(key, file), "made from here"))
            reading.problem("KT004", item.node, message, "keep one of the two", places)
            return
        before = len(reading.findings)
        entry = self.topics.one(name, _copied(template, item.values), reading)
        made_from = Related(node_location(item.node, file), f"forEach makes {name.value} from this")
        for index in range(before, len(reading.findings)):
            found = reading.findings[index]
            reading.findings[index] = replace(found, related=(*found.related, made_from))
        if entry is not None:
            if entry.value is not BROKEN:
                entry.value[FOR_EACH] = Entry(item.label, item.node, reading.origin, None)
            self.into[name.value] = entry


def _in_file_order(topics: dict[str, Entry], section: MappingNode) -> dict[str, Entry]:
    """By the places of their names; the topics of one template stay in the order of its items."""
    lines = {id(key): position for position, (key, _) in enumerate(section.value)}
    starts = {(key.start_mark.line, key.start_mark.column): lines[id(key)] for key, _ in section.value}

    def position(entry: Entry) -> int:
        key = entry.key
        return starts.get((key.start_mark.line, key.start_mark.column), len(starts)) if key is not None else len(starts)

    return dict(sorted(topics.items(), key=lambda pair: position(pair[1])))


def misplaced(root: Node, reading: Reading) -> None:
    """Report placeholders outside of a topic with `forEach`: nothing would replace them."""
    inside = {id(node) for template in _templates(root) for node in _all(template)}
    seen: set[int] = set()
    for node in _all(root):
        if id(node) in inside or id(node) in seen or not isinstance(node, ScalarNode):
            continue
        seen.add(id(node))
        found = LOOKS_LIKE_ONE.search(node.value)
        if found is not None:
            message = f"`{short(found[0])}` has a meaning only in a topic with `forEach`"
            reading.problem("KT003", node, message, "add `forEach` to the topic, or remove it")


def _templates(root: Node) -> Iterator[Node]:
    """The names and bodies of all topics with `forEach`, and what nobody reads."""
    for name, section in _pairs(root):
        if isinstance(name, ScalarNode) and name.value.startswith("x-"):
            yield section
        sections = [(name, section)]
        if isinstance(name, ScalarNode) and name.value == "environments":
            sections = [pair for _, environment in _pairs(section) for pair in _pairs(environment)]
        for inner, topics in sections:
            if isinstance(inner, ScalarNode) and inner.value == "topics":
                for key, topic in _pairs(topics):
                    if _own_field(topic) is not None:
                        yield key
                        yield topic


def _own_field(value: Node) -> Node | None:
    """The `forEach` of a topic's own mapping."""
    return next((child for name, child in _pairs(value) if _is_field(name)), None)


def _is_field(name: Node) -> bool:
    return isinstance(name, ScalarNode) and name.value == FOR_EACH


def _pairs(node: Node) -> list[tuple[Node, Node]]:
    return node.value if isinstance(node, MappingNode) else []


def _all(node: Node) -> Iterator[Node]:
    """Every node once, however often aliases repeat it."""
    waiting, seen = [node], {id(node)}
    while waiting:
        here = waiting.pop()
        yield here
        for child in children(here):
            if id(child) not in seen:
                seen.add(id(child))
                waiting.append(child)


def _count(node: Node) -> int:
    return 1 + sum(_count(child) for child in children(node))


def _items(listed: Node, reading: Reading) -> list[Item]:
    """The items, if all of them can be read."""
    if not isinstance(listed, SequenceNode) or listed.tag:
        reading.wrong(listed, ForEach().describe())
        return []
    if not 1 <= len(listed.value) <= MAX_ITEMS:
        reading.wrong(listed, f"1 to {MAX_ITEMS:,} items", "add an item" if not listed.value else "split the list")
        return []
    items = [_item(node, reading) for node in listed.value]
    found = [item for item in items if item is not None]
    first: dict[tuple[tuple[str, str], ...], Node] = {}
    for item in found:
        key = tuple(sorted((name, node.value) for name, node in item.values.items()))
        known = first.setdefault(key, item.node)
        if known is not item.node:
            at = node_location(known, reading.origin.file)
            message = f"this item is a duplicate; line {at.line} has it already"
            reading.problem("KT004", item.node, message, "keep one of the two", (Related(at, "first here"),))
            return []
    return found if len(found) == len(items) else []


def _item(node: Node, reading: Reading) -> Item | None:
    if is_untagged_scalar(node) and (node.style or node.value not in NULLS):
        return Item(node, {"": node})
    if not isinstance(node, MappingNode) or not node.value:
        return reading.wrong(node, "a value, or a mapping of values")
    values: dict[str, ScalarNode] = {}
    for key, value in reading.pairs(node):
        if not re.fullmatch(_NAME, key.value):
            return reading.wrong(key, "a variable's name such as region")
        if not is_untagged_scalar(value) or (not value.style and value.value in NULLS):
            return reading.wrong(value, "a value")
        if value in reading.secrets:
            return reading.wrong(value, "a value that is no secret", "keep secrets out of the files")
        values[key.value] = value
    return Item(node, values)


def _is_sound(key: ScalarNode, template: MappingNode, items: list[Item], reading: Reading) -> bool:
    """Whether every placeholder has a value in every item, and every variable is used. Reports what does not."""
    needed = {found[1] or "" for node in (key, *_values(template)) for found in PLACEHOLDER.finditer(node.value)}
    # The item that the placeholders fit best is the measure for the others.
    variables = max((set(item.values) for item in items), key=lambda names: len(names & needed))
    for item in items:
        if set(item.values) != variables:
            what = " and ".join(sorted((set(item.values) ^ variables) - {""})) or "a value beside mappings"
            message = f"the items differ in their variables: {what}"
            reading.problem("KT003", item.node, message, "give every item the same variables")
            return False
    used: set[str] = set()
    sound = True
    for node in (key, *_values(template)):
        for found in LOOKS_LIKE_ONE.finditer(node.value):
            placeholder = PLACEHOLDER.fullmatch(found[0])
            name = (placeholder[1] or "") if placeholder is not None else None
            if name is None or name not in variables:
                sound = False
                _unknown(node, found[0], name, variables, reading)
            else:
                used.add(name)
    if not sound:
        return False
    if not PLACEHOLDER.search(key.value):
        fix = "write `${each}` in the name" if "" in variables else f"write `${{each.{min(variables)}}}` in the name"
        reading.problem("KT003", key, "the name has no placeholder, so every topic would have the same name", fix)
        return False
    for name in sorted(variables - used):
        message = f"the variable `{name}` is not used in the topic"
        reading.problem("KT003", items[0].values[name], message, f"use `${{each.{name}}}`, or remove the variable")
        sound = False
    return sound


def _unknown(node: Node, written: str, name: str | None, variables: set[str], reading: Reading) -> None:
    known = ["${each}" if each == "" else f"${{each.{each}}}" for each in sorted(variables)]
    near = did_you_mean(name, variables) if name else ""
    fix = near or f"use {' or '.join(known)}"
    reading.problem("KT003", node, f"`{short(written)}` has no value in the items of `forEach`", fix)


def _values(node: Node) -> Iterator[ScalarNode]:
    """The scalars that are values, not names."""
    if isinstance(node, ScalarNode):
        yield node
    elif isinstance(node, MappingNode):
        for _, value in node.value:
            yield from _values(value)
    else:
        for child in children(node):
            yield from _values(child)


def _copied(node: Node, values: Values) -> Node:
    if isinstance(node, ScalarNode):
        return _substituted(node, values)
    if isinstance(node, MappingNode):
        inside = [(key, _copied(value, values)) for key, value in node.value]
        return MappingNode(node.tag, inside, node.start_mark, node.end_mark, node.flow_style)
    assert isinstance(node, SequenceNode)  # noqa: S101 - YAML has no fourth kind of node
    listed = [_copied(child, values) for child in node.value]
    return SequenceNode(node.tag, listed, node.start_mark, node.end_mark, node.flow_style)


def _substituted(node: ScalarNode, values: Values) -> ScalarNode:
    """A value that is one placeholder becomes the item's value as it is written there, quotes or not."""
    whole = PLACEHOLDER.fullmatch(node.value)
    if whole is not None:
        given = values[whole[1] or ""]
        return ScalarNode(node.tag, given.value, node.start_mark, node.end_mark, given.style)
    if "${each" not in node.value:
        return node
    text = PLACEHOLDER.sub(lambda found: values[found[1] or ""].value, node.value)
    return ScalarNode(node.tag, text, node.start_mark, node.end_mark, node.style)
