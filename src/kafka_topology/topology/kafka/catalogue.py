"""Kafka's own configs, by version: which exist, what they take, what they default to.

The data is `catalogue.json`, which `tools/catalogue/generate.py` makes from Kafka's jars. The names
are those of Kafka's Java clients and brokers.
"""

from __future__ import annotations

import json
from functools import cache, cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, get_args

from .config_key import BrokerKey, ConfigKey, ConfigType

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "VERSIONS",
    "BrokerKey",
    "Catalogue",
    "ConfigKey",
    "ConfigType",
    "Scope",
    "catalogue",
]

VERSIONS: tuple[str, ...] = ("3.7", "3.8", "3.9", "4.0", "4.1", "4.2")

Scope = Literal["topic", "producer", "consumer", "admin", "streams", "group", "broker"]
SCOPES: tuple[Scope, ...] = get_args(Scope)


class Catalogue:
    """The settings of one Kafka version. Each scope is built on first use."""

    def __init__(self, version: str, data: Mapping[str, Any]) -> None:
        self.version = version
        self._data = data

    @cached_property
    def topic(self) -> Mapping[str, ConfigKey]:
        return self._scope("topic")

    @cached_property
    def producer(self) -> Mapping[str, ConfigKey]:
        return self._scope("producer")

    @cached_property
    def consumer(self) -> Mapping[str, ConfigKey]:
        return self._scope("consumer")

    @cached_property
    def admin(self) -> Mapping[str, ConfigKey]:
        return self._scope("admin")

    @cached_property
    def streams(self) -> Mapping[str, ConfigKey]:
        """The configs of Streams itself; `find` also knows those it hands on to its clients."""
        return self._scope("streams")

    @cached_property
    def group(self) -> Mapping[str, ConfigKey]:
        """Group settings that brokers hold. Empty before 4.0, which had none."""
        return self._scope("group")

    @cached_property
    def broker(self) -> Mapping[str, ConfigKey]:
        return self._scope("broker")

    @cached_property
    def streams_prefixes(self) -> Mapping[str, Scope | None]:
        """`main.consumer.` and so on, with the scope whose names follow; None: any name may."""
        return dict(self._data["streamsPrefixes"])

    def scope(self, scope: Scope) -> Mapping[str, ConfigKey]:
        keys: Mapping[str, ConfigKey] = getattr(self, scope)
        return keys

    def find(self, scope: Scope, name: str) -> ConfigKey | None:
        """The config of that name, or None when this version has none.

        A Streams application may also set what it hands on: `producer.linger.ms` for its
        producers, or plain `linger.ms` for each client that knows the name.
        """
        found = self.scope(scope).get(name)
        if found is None and scope == "streams":
            return self._handed_on(name)
        return found

    def in_other_version(self, scope: Scope, name: str) -> ConfigKey | None:
        """A setting that this version does not have, from the nearest version that does: `since`, `removed`."""
        if self.find(scope, name) is not None:
            return None
        return next(filter(None, (other.find(scope, name) for other in self._others)), None)

    @cached_property
    def _others(self) -> tuple[Catalogue, ...]:
        """The other versions, the nearest first; of two equally near ones, the older first."""
        here = VERSIONS.index(self.version)
        versions = sorted(VERSIONS, key=lambda version: abs(VERSIONS.index(version) - here))
        return tuple(Catalogue(version, self._data) for version in versions[1:])

    def _handed_on(self, name: str) -> ConfigKey | None:
        for prefix, scope in self.streams_prefixes.items():
            if name.startswith(prefix) and name != prefix:
                if scope is None:
                    return ConfigKey(name=name, type="string")
                return self.scope(scope).get(name.removeprefix(prefix))
        return self.consumer.get(name) or self.producer.get(name) or self.admin.get(name)

    def _scope(self, scope: Scope) -> Mapping[str, ConfigKey]:
        rows: Mapping[str, Mapping[str, Any]] = self._data["scopes"][scope]
        here = VERSIONS.index(self.version)
        older, newer = frozenset(VERSIONS[: here + 1]), frozenset(VERSIONS[here + 1 :])
        return {
            name: _key(name, row, older)
            for name, row in rows.items()
            if row.get("since") not in newer and row.get("removed") not in older
        }


def _key(name: str, row: Mapping[str, Any], reached: frozenset[str]) -> ConfigKey:
    """The row as it stands after the changes of the versions reached, which are in order."""
    changes = row.get("changes")
    if changes:
        row = dict(row)
        for version, change in changes.items():
            if version in reached:
                row.update(change)
    get = row.get
    return ConfigKey(
        name=name,
        type=row["type"],
        default=get("default"),
        required=get("required") or False,
        minimum=get("min"),
        maximum=get("max"),
        choices=tuple(get("choices") or ()),
        combinable=tuple(get("combinable") or ()),
        ignore_case=get("ignoreCase") or False,
        non_empty=get("nonEmpty") or False,
        distinct=get("distinct") or False,
        importance=row["importance"],
        since=get("since"),
        removed=get("removed"),
        deprecated=get("deprecated") or False,
        internal=get("internal") or False,
        broker_keys=tuple(BrokerKey(*pair) for pair in get("broker") or ()),
        doc=row["doc"],
    )


@cache
def _data() -> Mapping[str, Any]:
    data: Mapping[str, Any] = json.loads((files(__package__) / "catalogue.json").read_bytes())
    return data


@cache
def catalogue(version: str) -> Catalogue:
    """The catalogue of a version, given as "4.1" or "4.1.0"; of an unknown one (KT710), the nearest that is known.

    Raises ValueError if it is no version at all.
    """
    wanted = _order(version)
    older = [known for known in VERSIONS if _order(known) <= wanted]
    return _of_minor(older[-1] if older else VERSIONS[0])


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


@cache
def _of_minor(minor: str) -> Catalogue:
    return Catalogue(minor, _data())
