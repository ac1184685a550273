"""Says a finding about a client in the words of its library.

Rules write the names and values of the Java client, which Kafka documents its guarantees in. The engine replaces them
when it makes a finding, so no rule has to know other libraries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from kafka_topology.topology.kafka.catalogue import VERSIONS, catalogue
from kafka_topology.topology.kafka.clients.libraries import LIBRARIES, Library, Own, Side, side_of
from kafka_topology.topology.model.declared import ConsumerGroup, Declared, Producer

from .in_library import own_library, own_setting

_SEPARATORS = "=| is | of | to "
# `acks` and `retries` may be plain English: they are settings only after one of these, or before a value.
_VERBS = ("remove ", "set ", "raise ", "lower ")
_OPPOSITE = ("inverted", "flag")


def in_own_words(text: str, client: Declared | None) -> str:
    """The text with the names that the client's library has for the settings of the Java client, and its values.

    A setting that the library does not have keeps its name, and the text says that the library has none.
    """
    library = own_library(client) if client is not None else None
    if library is None or not isinstance(client, Producer | ConsumerGroup):
        return text
    return _Translation(client, library).of(text)


class _Translation:
    """One text about one client."""

    def __init__(self, client: Producer | ConsumerGroup, library: Library) -> None:
        self._client = client
        self._library = library
        self._first: Own | None = None  # the setting that "expected …" is about
        self._missing: set[str] = set()

    def of(self, text: str) -> str:
        side = side_of(self._client)
        named = _settings(self._library.name, side).sub(self._named, text)
        words = _words(self._first) if self._first is not None else {}
        if not words:
            return named
        return re.sub(rf"\bexpected ({_any(words)})(?![\w.])", lambda found: f"expected {words[found[1]]}", named)

    def _named(self, found: re.Match[str]) -> str:
        java, separator, value = found["name"] or found["word"], found["separator"] or "", found["value"] or ""
        own = own_setting(self._client, java)
        if own is None:
            return self._without(java, found)
        name, setting = own
        self._first = self._first or setting
        return name + separator + _words(setting).get(value, value)

    def _without(self, java: str, found: re.Match[str]) -> str:
        says_so = found.string[: found.start()].endswith("has no ")
        if says_so or java in self._missing:
            return found[0]
        self._missing.add(java)
        return found[0].replace(java, f"{java} (which {self._library.title} does not have)", 1)


def _words(own: Own) -> Mapping[str, str]:
    """The values that the library calls something else, by Java's word."""
    if own.form in _OPPOSITE:
        return {"true": "false", "false": "true"}
    known = {java: own.from_java(java) or java for _, java in own.words if java}
    return {java: name for java, name in known.items() if java != name}


@lru_cache(maxsize=64)
def _settings(library: str, side: Side) -> re.Pattern[str]:
    """Finds the settings of the Java client that the library calls something else, with the value that follows."""
    own = LIBRARIES[library].settings(side)
    java = [name for name in catalogue(VERSIONS[-1]).scope(side) if name not in own or _words(own[name])]
    dotted = [name for name in java if "." in name]
    plain = [name for name in java if "." not in name]
    values = {value for each in own.values() for value in _words(each)}
    follows = rf"(?:(?P<separator>{_SEPARATORS})(?P<value>{_any(values)})(?![\w.]))?"
    is_meant = "|".join([*(f"(?<={verb})" for verb in _VERBS), rf"(?=(?:{_any(plain)})(?:=| is | to ))"])
    word = rf"(?:{is_meant})(?P<word>{_any(plain)})"
    return re.compile(rf"(?<![\w.])(?:(?P<name>{_any(dotted)})|{word})(?!\w|\.\w){follows}")


def _any(texts: Iterable[str]) -> str:
    return "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True)) or "(?!)"
