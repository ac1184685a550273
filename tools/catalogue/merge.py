"""Turns what the jars of several versions say into one row per config, with its changes."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Any

Row = dict[str, Any]
Dumps = Mapping[str, Mapping[str, Any]]

DOC_LENGTH = 240
_LIMITS = {"short": 2**15, "int": 2**31, "long": 2**63}
_RANGE_OR = re.compile(r"\[(-?\d+),\.\.\.,(-?\d+)\] or (-?\d+)")
_SAID_DEPRECATED = re.compile(
    r"\W*deprecated\b|.*\bthis config(uration)? (is|has been) deprecated", re.IGNORECASE | re.DOTALL
)
# Lists of some 60 names that grow with each version, for configs that are gone since 4.0.
_UNLISTED = "MetadataVersionValidator"


def merge(dumps: Dumps) -> Row:
    names: dict[str, set[str]] = {}
    for dump in dumps.values():
        for scope, keys in dump["scopes"].items():
            names.setdefault(scope, set()).update(keys)
    scopes = {scope: {name: _history(dumps, scope, name) for name in sorted(names[scope])} for scope in sorted(names)}
    return {"streamsPrefixes": _prefixes(dumps), "scopes": scopes}


def _prefixes(dumps: Dumps) -> dict[str, str | None]:
    """Each prefix with the scope that the name of its constant says, the longest first."""
    scopes = {"CONSUMER": "consumer", "PRODUCER": "producer", "ADMIN": "admin", "TOPIC": "topic"}
    found: dict[str, str | None] = {}
    for dump in dumps.values():
        for constant, prefix in dump["prefixes"].items():
            words = constant.split("_")
            found[prefix] = next((scope for word, scope in scopes.items() if word in words), None)
    return dict(sorted(found.items(), key=lambda item: (-len(item[0]), item[0])))


def _history(dumps: Dumps, scope: str, name: str) -> Row:
    versions = list(dumps)
    present = [version for version in versions if name in dumps[version]["scopes"][scope]]
    first, last = versions.index(present[0]), versions.index(present[-1])
    if present != versions[first : last + 1]:
        raise ValueError(f"{scope} {name} went and came back: the file has no way to say so")

    row = current = _facts(dumps[present[0]], scope, name)
    changes: dict[str, Row] = {}
    for version in present[1:]:
        facts = _facts(dumps[version], scope, name)
        if change := {
            key: facts.get(key)
            for key in sorted(row.keys() | facts.keys() | current.keys())
            if facts.get(key) != current.get(key)
        }:
            changes[version] = change
        current = facts
    if first > 0:
        row["since"] = present[0]
    if last + 1 < len(versions):
        row["removed"] = versions[last + 1]
    if changes:
        row["changes"] = changes
    newest = dumps[present[-1]]["scopes"][scope][name]
    return {**row, "importance": newest["importance"], "doc": summary(newest["documentation"])}


def _facts(dump: Mapping[str, Any], scope: str, name: str) -> Row:
    """What one version says of a config; facts that do not apply are left out."""
    raw = dump["scopes"][scope][name]
    facts = {
        "type": raw["type"],
        "default": raw["default"],
        "required": raw["required"],
        **_bounds(raw),
        **_choices(raw),
        "nonEmpty": _accepts(raw, "") is False and raw["type"] in ("string", "list"),
        "distinct": raw["type"] == "list" and _refuses_twice(raw),
        "internal": raw["internal"],
        "deprecated": raw["deprecated"] or _SAID_DEPRECATED.match(raw["documentation"]) is not None,
        "broker": dump["synonyms"].get(name) if scope == "topic" else None,
    }
    if facts.get("choices") and raw["type"] != "list":
        facts["nonEmpty"] = False  # goes without saying
    return {k: v for k, v in facts.items() if v is not None and v is not False and v != []}


def _bounds(raw: Row) -> Row:
    bounds: Row = {}
    limit = _LIMITS.get(raw["type"])
    for validator in raw["validators"]:
        if validator["class"].endswith("$Range"):
            low, high = validator.get("min"), validator.get("max")
            bounds["min"] = None if limit and low == -limit else low
            bounds["max"] = None if limit and high == limit - 1 else high
        elif match := _RANGE_OR.fullmatch(validator["text"]):
            bounds |= {"min": int(match[1]), "max": int(match[2]), "choices": [match[3]]}
    around_zero = [_accepts(raw, number) for number in ("-2", "-1", "0", "1")]
    if limit and not bounds and around_zero == [False, True, False, True]:
        return {"min": 1, "choices": ["-1"]}  # a validator that does not say so in words
    return bounds


def _choices(raw: Row) -> Row:
    """Sorted: Java's sets come in any order."""
    found: Row = {}
    for validator in raw["validators"]:
        values = sorted(validator.get("validStrings", ()))
        if not values or validator["class"].endswith(_UNLISTED):
            continue
        spellings = {spelling for v in values for spelling in (v.upper(), v.lower())}
        if spellings != set(values) and all(_accepts(raw, spelling) for spelling in spellings):
            found["ignoreCase"] = True
            if raw["default"] and raw["default"].islower():
                values = [value.lower() for value in values]
        found["choices"] = values
        if raw["type"] == "string":
            found["combinable"] = [v for v in values if _accepts(raw, f"{v},{v}")]
    return found


def _accepts(raw: Row, text: str) -> bool | None:
    """Whether Kafka took the text; None when it was not asked."""
    return raw["verdicts"][text] is not None if text in raw["verdicts"] else None


def _refuses_twice(raw: Row) -> bool:
    return any(_accepts(raw, text) and _accepts(raw, f"{text},{text}") is False for text in raw["verdicts"])


def summary(documentation: str) -> str:
    """The first sentence, without mark-up, cut at a word when it is long."""
    text = html.unescape(re.sub(r"<[^>]+>", " ", documentation))
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r" ([.,;:)])", r"\1", text)
    sentence = re.split(r"(?<!e\.g)(?<!i\.e)(?<=[.!?]) (?=[A-Z(`])", text, maxsplit=1)[0]
    if len(sentence) <= DOC_LENGTH:
        return sentence
    return sentence[:DOC_LENGTH].rsplit(" ", 1)[0].rstrip(",;:") + " …"
