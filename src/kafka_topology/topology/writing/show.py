"""The resolved topology as plain YAML or JSON, by the same declarations that read it.

The output can be loaded again from the same folder, and gives an equal topology: profiles and the environment are
applied, units are kept where the language has them, and settings are the plain numbers that Kafka gets.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import yaml

from ..language.document import DOCUMENT, VERSION
from ..language.fields import NOT_TEXT
from ..language.structures import ListOf, MapOf
from ..located.nodes import MappingNode, Node, SequenceNode, compose
from ..model.declared import Declared, Topology
from ..model.places import Layer, Place
from ..model.words import escaped, fits_a_line

Path = tuple[str | int, ...]
# JSON is valid YAML except for these characters, which JSON need not escape.
_NOT_IN_YAML = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_ONE_LINE = 100
_NOT_SHOWN = ("profiles", "include", "environments")


def as_plain(topology: Topology) -> dict[str, Any]:
    """The topology as plain dicts, lists, text, numbers and booleans of the language."""
    shown: dict[str, Any] = {"version": VERSION}
    for section in DOCUMENT.fields:
        held = getattr(topology, section.model_name, None)
        if held is None or section.name in _NOT_SHOWN:
            continue
        written = section.kind.dump(held)
        if written:
            shown[section.name] = written
    return shown


def as_yaml(topology: Topology, *, origins: bool = False) -> str:
    """With `origins`, each line says which layer set its value, and where."""
    text = dumped(as_plain(topology))
    return _with_origins(text, topology) if origins else text


def dumped(plain: dict[str, Any], *, compact: bool = False) -> str:
    """Plain data as YAML that reads back equal. With `compact`, small and simple values share a line."""
    dumper = _CompactDumper if compact else _Dumper
    return yaml.dump(plain, Dumper=dumper, sort_keys=False, allow_unicode=True, width=10**9, default_flow_style=False)


def as_json(topology: Topology, *, origins: bool = False) -> str:
    """With `origins`, the topology and the origin of each value by JSON pointer."""
    plain = as_plain(topology)
    shown: Any = plain
    if origins:
        shown = {
            "topology": plain,
            "origins": {_pointer(path): _origin_json(_place(topology, path)) for path in _leaves(plain)},
        }
    text = json.dumps(shown, indent=2, ensure_ascii=False) + "\n"
    return _NOT_IN_YAML.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class _Dumper(yaml.SafeDumper):
    """Quotes text that any YAML version would read as something else."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML's signature
        return True

    def check_simple_key(self) -> bool:
        """Names stay on one line, the empty one and long ones as well. PyYAML would write `? name` for those."""
        if isinstance(self.event, yaml.ScalarEvent):
            return fits_a_line(self.event.value)
        return bool(super().check_simple_key())

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, False)


class _CompactDumper(_Dumper):
    """Puts lists and maps on one line if they hold only scalars and such lists, and the line is short."""

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> yaml.MappingNode:  # noqa: ARG002
        node = super().represent_mapping(tag, mapping, False)
        values = [value for _, value in node.value]
        simple = all(isinstance(value, yaml.ScalarNode) or _is_flow_list(value) for value in values)
        node.flow_style = simple and sum(_width(part) for pair in node.value for part in pair) <= _ONE_LINE
        return node

    def represent_sequence(self, tag: str, sequence: Any, flow_style: bool | None = None) -> yaml.SequenceNode:  # noqa: ARG002
        node = super().represent_sequence(tag, sequence, False)
        node.flow_style = all(isinstance(item, yaml.ScalarNode) for item in node.value) and _width(node) <= _ONE_LINE
        return node


def _is_flow_list(node: yaml.Node) -> bool:
    return isinstance(node, yaml.SequenceNode) and bool(node.flow_style)


def _width(node: yaml.Node) -> int:
    """Roughly how many characters it takes on a line, with its separator."""
    if isinstance(node, yaml.SequenceNode):
        return 2 + sum(_width(item) for item in node.value)
    return len(node.value) + 2


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # A value must stay on one line, because its origin is appended.
    quoted = NOT_TEXT.fullmatch(text) or not text.isprintable() or "\n" in text
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if quoted else None)


_Dumper.add_representer(str, _represent_text)
_CompactDumper.add_representer(str, _represent_text)


def _with_origins(text: str, topology: Topology) -> str:
    lines = text.split("\n")
    root = compose(text)
    for path, node in _nodes(root, ()) if root is not None else ():
        at = node.end_mark.line
        lines[at] += f"  # {_origin_text(_place(topology, path))}"
    return "\n".join(lines)


def _nodes(node: Node, path: Path) -> Iterator[tuple[Path, Node]]:
    """Every scalar and every empty collection, with its path."""
    if isinstance(node, MappingNode) and node.value:
        for key, value in node.value:
            yield from _nodes(value, (*path, key.value))
    elif isinstance(node, SequenceNode) and node.value:
        for index, item in enumerate(node.value):
            yield from _nodes(item, (*path, index))
    elif path != ("version",):
        yield path, node


def _leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(value, dict) and value:
        for name, item in value.items():
            yield from _leaves(item, (*path, name))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index))
    elif path != ("version",):
        yield path


def _place(topology: Topology, path: Path) -> Place:
    """Resources know their places by relative paths; everything else is found from the root."""
    section, *inside = path
    field = DOCUMENT.by_name[str(section)]
    held: Any = getattr(topology, field.model_name)
    if isinstance(field.kind, MapOf | ListOf) and inside:
        held, inside = held[inside[0]], inside[1:]
    return held.place(*inside) if isinstance(held, Declared) else topology.place(*path)


def _origin_text(place: Place) -> str:
    if place.layer in (Layer.LANGUAGE, Layer.KAFKA):
        return str(place.layer)
    at = f"{place.location.file}:{place.location.line}"
    origin = at if place.layer is Layer.RESOURCE else f"{place}, {at}"
    return escaped(origin)


def _origin_json(place: Place) -> dict[str, Any]:
    shown: dict[str, Any] = {"layer": str(place.layer)}
    if place.name:
        shown["name"] = place.name
    if place.layer not in (Layer.LANGUAGE, Layer.KAFKA):
        at = place.location
        shown |= {"file": at.file, "line": at.line, "column": at.column}
    return shown


def _pointer(path: Path) -> str:
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)
