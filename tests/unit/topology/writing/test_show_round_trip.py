"""load -> show -> load gives an equal topology, whatever the language can say.

The topologies are generated from the declarations of the language, so a new field is tested as soon as it is declared.
"""

from __future__ import annotations

import json
import re
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafka_topology.topology import Topology, load
from kafka_topology.topology.language.alternatives import Either, OneOf
from kafka_topology.topology.language.document import DOCUMENT
from kafka_topology.topology.language.fields import (
    DAY,
    DURATION,
    MOMENT,
    SHARE,
    SPAN,
    Choice,
    Integer,
    Kind,
    Number,
    Text,
    Unit,
)
from kafka_topology.topology.language.open_maps import Config, RuleOptions
from kafka_topology.topology.language.structures import ListOf, MapOf, Structure
from kafka_topology.topology.language.terms import KEY_TYPES
from kafka_topology.topology.writing.show import as_json, as_yaml

TRAPS = [
    "no",
    "off",
    "012",
    "1e5",
    "0o14",
    "~",
    "null",
    "1:30",
    "- a",
    "a: b",
    "#x",
    "x #y",
    "*",
    "&a",
    "!t",
    "%",
    "'",
    '"',
]
WORDS = st.sampled_from(TRAPS) | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
TEXTS = WORDS.filter(lambda text: text.strip() != "")
NAMES = TEXTS.filter(lambda text: "\n" not in text)
OPTIONS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | WORDS | st.floats(0.001, 1e6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


def values(kind: Kind) -> st.SearchStrategy[Any]:
    """Everything that a kind of field takes, as JSON would write it."""
    # A kind is declared once and lives as long as the module, so its identity is its name.
    if id(kind) not in _STRATEGIES:
        _STRATEGIES[id(kind)] = _values(kind)
    return _STRATEGIES[id(kind)]


_STRATEGIES: dict[int, st.SearchStrategy[Any]] = {}


def _values(kind: Kind) -> st.SearchStrategy[Any]:  # noqa: C901, PLR0912 - one case for each kind
    match kind:
        case Text(pattern=None):
            return TEXTS
        case Text(expected="a path relative to this file"):
            return st.just("schemas/a.json")
        case Text(pattern=str(pattern)):
            return st.from_regex(re.compile(pattern, re.ASCII), fullmatch=True).filter(lambda text: text.strip() != "")
        case Integer():
            return st.integers(kind.minimum, min(kind.maximum, kind.minimum + 50)) | st.just(kind.maximum)
        case Number():
            return st.floats(1e-9, min(kind.maximum or 10.0, 10.0)) | st.just(1)
        case Choice():
            return st.sampled_from(kind.values)
        case Unit() if kind is MOMENT:
            return st.datetimes(min_value=_year(1970), max_value=_year(2900)).map(lambda at: f"{at.isoformat()}Z")
        case Unit() if kind is DAY:
            return st.dates(min_value=_year(1970).date(), max_value=_year(2900).date()).map(date.isoformat)
        case Unit() if kind is SHARE:
            return st.integers(0, 10**8).map(lambda parts: kind.format(Fraction(parts, 10**8)))
        case Unit() if kind is SPAN:
            return st.integers(0, 999_999).flatmap(
                lambda count: st.sampled_from(["ms", "s", "m", "h", "d", "w"]).map(f"{count}{{}}".format)
            )
        case Unit():
            forever = st.just("forever") if kind is DURATION else st.nothing()
            return st.integers(0, 2**40).map(kind.format) | forever
        case Config():
            return _settings()
        case RuleOptions():
            severities = st.fixed_dictionaries({}, optional={"severity": st.sampled_from(["off", "error"])})
            return st.builds(lambda a, b: {**b, **a}, severities, st.dictionaries(NAMES, OPTIONS, max_size=3)).filter(
                lambda rule: rule.get("severity", "off") in ("off", "error")
            )
        case ListOf():
            by = repr if kind.distinct else None
            return st.lists(values(kind.item), min_size=kind.at_least, max_size=kind.at_least + 2, unique_by=by)
        case MapOf():
            names = NAMES if "1000" in kind.name_pattern else st.from_regex(kind.name_pattern, fullmatch=True)
            return st.dictionaries(names, values(kind.item), min_size=kind.at_least, max_size=kind.at_least + 2)
        case OneOf():
            return values(kind.scalar) | values(kind.collection)
        case Either():
            return st.one_of(*map(values, kind.kinds))
        case Structure():
            return _structures(kind)
    raise AssertionError(kind)


def _year(year: int) -> datetime:
    return datetime(year, 1, 1)  # noqa: DTZ001 - hypothesis takes naive bounds


def _settings() -> st.SearchStrategy[Any]:
    plain = (
        st.booleans() | st.integers(-5, 5) | WORDS | st.lists(WORDS.filter(lambda text: "," not in text), max_size=2)
    )
    amounts = {"retention.ms": ["7d", "forever", 5, -1], "x.bytes": ["1MiB", 0]}
    return st.fixed_dictionaries(
        {},
        optional={
            **{name: st.sampled_from(each) for name, each in amounts.items()},
            "cleanup.policy": plain,
            "a": plain,
        },
    )


@st.composite
def _structures(draw: st.DrawFn, structure: Structure) -> dict[str, Any]:
    chosen = draw(st.sampled_from(structure.exactly_one)) if structure.exactly_one else None
    written = {}
    for field in structure.fields:
        if field.name == "forEach" or (field.name in structure.exactly_one and field.name != chosen):
            continue
        if field.required or field.name == chosen or draw(st.booleans()):
            written[field.name] = draw(values(field.kind))
    return written


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:  # noqa: C901, PLR0912 - fixes one kind of reference after the other
    """A document whose references lead somewhere."""
    sections = {field.name: field for field in DOCUMENT.fields if field.name not in ("include", "environments")}
    document = {name: draw(values(field.kind)) for name, field in sections.items() if draw(st.booleans())}
    document["version"] = 1
    document.pop("ownership", None) if draw(st.booleans()) else None
    document.get("ownership", {}).pop("topics", None)
    document["patterns"] = {"card": "[0-9]{16}", "pattern": "a|b"}
    topics, profiles = document.setdefault("topics", {}), document.get("profiles", {})
    topics.setdefault("t", {})
    a_topic = st.sampled_from(sorted(topics))
    if isinstance(document.get("cluster", {}).get("brokers"), list):
        for index, broker in enumerate(document["cluster"]["brokers"]):
            broker["id"] = index
    for part in (*topics.values(), *profiles.values()):
        part.pop("profile", None)
        part.pop("extends", None)
        part.pop("retention", None) if "retention.ms" in part.get("config", {}) else None
        if "copartitionedWith" in part:
            part["copartitionedWith"] = draw(st.lists(a_topic, max_size=2))
        if "key" in part:
            part["key"]["type"] = draw(st.sampled_from([*KEY_TYPES, "card", "pattern"]))
    for first, second in zip(sorted(profiles), sorted(profiles)[1:], strict=False):
        profiles[second]["extends"] = first
    for topic in topics.values():
        topic |= {"partitions": draw(st.integers(1, 9)), "replication": 3}
        if profiles and draw(st.booleans()):
            topic["profile"] = draw(st.sampled_from(sorted(profiles)))
    for section, field in (
        ("producers", "topics"),
        ("consumerGroups", "topics"),
        ("shareGroups", "topics"),
        ("streams", "reads"),
        ("streams", "writes"),
    ):
        for client in document.get(section, {}).values():
            if field in client:
                client[field] = draw(st.lists(a_topic, min_size=1, max_size=2))
    for group in document.get("consumerGroups", {}).values():
        if "assign" in group:
            group["assign"] = {draw(a_topic): [0, 1]}
    return document


def _as_yaml_text(document: dict[str, Any]) -> str:
    """JSON is YAML, but for characters that YAML does not let stand as they are."""
    text = json.dumps(document, ensure_ascii=False)
    return re.sub("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]", lambda match: f"\\u{ord(match[0]):04x}", text)


def _loaded(file: Path, text: str) -> Topology:
    file.write_text(text, encoding="utf-8")
    loaded = load(file)
    assert loaded.problems == ()
    assert loaded.topology is not None
    return loaded.topology


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("round-trip")
    (folder / "schemas").mkdir()
    (folder / "schemas" / "a.json").write_text("{}")
    return folder


def test_a_number_with_every_digit_of_a_double_is_read(folder: Path) -> None:
    text = "version: 1\nrules: {KT000: {share: 0.0010000000000000002}}\n"
    assert _loaded(folder / "topology.yaml", text).rules["KT000"].options == {"share": 0.0010000000000000002}


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(document=documents(), origins=st.booleans())
def test_what_is_shown_loads_as_an_equal_topology(folder: Path, document: dict[str, Any], origins: bool) -> None:
    topology = _loaded(folder / "topology.yaml", _as_yaml_text(document))
    for write in (as_yaml, as_json):
        shown = write(topology, origins=origins and write is as_yaml)
        assert _loaded(folder / "topology.yaml", shown) == topology
        assert write(_loaded(folder / "topology.yaml", shown)) == write(topology)
