"""The resolved model as plain values under their YAML names, for expressions.

Durations are in milliseconds, sizes in bytes, rates in bytes per second, shares such as 1% from 0 to 1. Undeclared
fields are left out, except `config`: it contains every effective setting, including inherited ones and Kafka's
defaults, as a number, boolean or list if that is its type in Kafka.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from functools import cache
from typing import Any

from kafka_topology.topology.kafka.catalogue import ConfigKey
from kafka_topology.topology.kafka.effective import EffectiveSettings, Setting
from kafka_topology.topology.model.declared import Client, Partitioner, Topic, Topology

Values = dict[str, Any]
# `place` is internal, a secret's name is useless to a rule, and suppressions are not judged.
_LEFT_OUT = frozenset({"place", "password_secret", "ignore", "instance"})
_RENAMED = {"application_id": "name", "start": "start", "kept_forever": "keptForever"}


def section_values(topology: Topology, settings: EffectiveSettings, section: str) -> dict[str, Values]:
    """All resources of one section, by name."""
    catalogue = settings.catalogue
    if section == "topics":
        defaults = _topic_defaults(topology, settings)
        return {n: _with_config(t, catalogue.topic, defaults) for n, t in topology.topics.items()}
    if section == "producers":
        defaults = _defaults(catalogue.producer)
        return {n: _with_config(p, catalogue.producer, defaults) for n, p in topology.producers.items()}
    if section == "consumerGroups":
        defaults = _defaults(catalogue.consumer)
        return {n: _with_config(g, catalogue.consumer, defaults) for n, g in topology.consumer_groups.items()}
    if section == "shareGroups":
        defaults = {name: value for name, value in _defaults(catalogue.group).items() if name.startswith("share.")}
        return {n: _with_config(g, catalogue.group, defaults) for n, g in topology.share_groups.items()}
    if section == "streams":
        defaults = _defaults(catalogue.streams)
        return {n: _with_config(s, catalogue.streams, defaults) for n, s in topology.streams.items()}
    return {name: plain(user) for name, user in topology.users.items()}


def cluster_values(topology: Topology, settings: EffectiveSettings) -> Values:
    """The cluster; its `config` contains the brokers' effective settings."""
    values: Values = plain(topology.cluster)
    values["racks"] = list(topology.cluster.racks)
    values["config"] = _defaults(settings.catalogue.broker) | {
        name: typed(value, settings.catalogue.broker.get(name)) for name, value in topology.cluster.defaults.items()
    }
    return values


@cache
def yaml_fields(model: Any) -> tuple[tuple[str, str], ...]:
    """The attributes of a class of the model that expressions see, each with its YAML name."""
    return tuple((field.name, _yaml_name(field.name)) for field in fields(model) if field.name not in _LEFT_OUT)


def plain(value: Any) -> Any:
    """A value of the frozen model as dictionaries, lists, numbers and text."""
    if isinstance(value, Partitioner):
        return value.name
    if is_dataclass(value) and not isinstance(value, type):
        return {
            name: plain(held)
            for attribute, name in yaml_fields(type(value))
            if (held := getattr(value, attribute)) is not None
        }
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, timedelta):
        return value // timedelta(milliseconds=1)
    if isinstance(value, Fraction):
        return float(value)
    return value.isoformat() if isinstance(value, datetime) else value


def typed(text: str, key: ConfigKey | None) -> Any:
    """A setting's text converted to its type in Kafka; text that does not fit stays text."""
    read: Callable[[str], Any] | None = _READ.get(key.type) if key is not None else None
    try:
        return read(text) if read is not None else text
    except ValueError:
        return text


def _with_config(resource: Any, keys: Mapping[str, ConfigKey], defaults: Values) -> Values:
    values: Values = plain(resource)
    if isinstance(resource, Client) and resource.principal is not None:
        values["principal"] = resource.principal
    values["config"] = defaults | {name: typed(text, keys.get(name)) for name, text in resource.config.items()}
    return values


def _topic_defaults(topology: Topology, settings: EffectiveSettings) -> Values:
    """The settings of a topic that sets none: the cluster's defaults, then Kafka's."""
    bare = Topic(place=topology.place, name="", partitions=1, replication=1)
    found: dict[str, Setting | None] = {name: settings.topic(bare, name) for name in settings.catalogue.topic}
    return {name: typed(setting.value, setting.key) for name, setting in found.items() if setting is not None}


def _defaults(keys: Mapping[str, ConfigKey]) -> Values:
    return {name: typed(key.default, key) for name, key in keys.items() if key.default is not None}


def _yaml_name(attribute: str) -> str:
    if attribute in _RENAMED:
        return _RENAMED[attribute]
    first, *rest = attribute.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _boolean(text: str) -> bool:
    if text.strip().lower() not in {"true", "false"}:
        raise ValueError
    return text.strip().lower() == "true"


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


_READ: dict[str, Callable[[str], Any]] = {
    "boolean": _boolean,
    "double": float,
    "int": int,
    "list": _items,
    "long": int,
    "short": int,
}
