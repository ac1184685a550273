"""What was found on a cluster as files: tidy YAML of the language, and what `pulumi import --file` takes. Pure."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from kafka_topology.provider.acls import Acl, as_rules
from kafka_topology.provider.inventory import FoundGroup, Inventory
from kafka_topology.provider.quotas import LIMITS, as_inputs
from kafka_topology.provider.settings import PACKAGE, Owned
from kafka_topology.provider.topic_plan import LiveTopic
from kafka_topology.topology.formatting import format_text
from kafka_topology.topology.language_terms import ACL_RESOURCES
from kafka_topology.topology.model import spread_brokers
from kafka_topology.topology.show import dumped
from kafka_topology.topology.units import (
    LARGEST,
    format_duration,
    format_rate,
    format_size,
    parse_integer,
)

Plain = dict[str, object]
# So many topics alike are worth a profile.
ALIKE = 3
CLUSTER_FILE = "cluster.yaml"
RETENTION = "retention.ms"
_LOWERED = "# Errors in what was imported. Mend them, one after the other, and remove their lines here."
_FIELDS = {resource: field for field, resource in ACL_RESOURCES.items()}


@dataclass(frozen=True, slots=True)
class Imported:
    """The files by name, what Pulumi imports as (type, name, id), and what could not be written down."""

    files: Mapping[str, str]
    resources: tuple[tuple[str, str, str], ...]
    notes: tuple[str, ...] = ()


def imported(found: Inventory, owned: Owned) -> Imported:
    profiles, topics = _topics(found.topics)
    groups = {name: _group(group) for name, group in found.groups.items() if group.topics}
    quotas = [_quota(as_inputs(entity, limits)) for entity, limits in found.quotas.items() if _is_writable(limits)]
    sections: dict[str, dict[str, object]] = {
        CLUSTER_FILE: {"cluster": _cluster(found), "ownership": _ownership(owned), "profiles": profiles},
        "topics.yaml": {"topics": topics},
        "groups.yaml": {"consumerGroups": groups},
        "access.yaml": {"acls": _acls(found.acls), "users": _users(found.users), "quotas": quotas},
    }
    files = {}
    for name, held in sections.items():
        filled = {section: value for section, value in held.items() if value}
        if filled:
            files[name] = _text(filled)
    return Imported(files, tuple(_resources(found)), tuple(_notes(found)))


def with_lowered(cluster: str, rules: Collection[str]) -> str:
    """The file about the cluster, with these rules as warnings: what exists must be taken over before it is mended."""
    if not rules:
        return cluster
    lowered = dumped({"rules": {rule: {"severity": "warning"} for rule in sorted(rules)}}, compact=True)
    return format_text(f"{cluster}\n{_LOWERED}\n{lowered}")


def pulumi_import(resources: tuple[tuple[str, str, str], ...], project: str, stack: str) -> str:
    """The file for `pulumi import --file`. The provider is the one that the program makes: it must exist already."""
    document = {
        "nameTable": {"kafka": provider_urn(project, stack)},
        "resources": [
            {"type": f"{PACKAGE}:index:{kind}", "name": name, "id": id_, "provider": "kafka"}
            for kind, name, id_ in resources
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def provider_urn(project: str, stack: str) -> str:
    return f"urn:pulumi:{stack}::{project}::pulumi:providers:{PACKAGE}::kafka"


def _text(sections: Mapping[str, object]) -> str:
    """Sections apart from each other; formatted as `fmt` would."""
    parts = ["version: 1\n", *(dumped({name: held}, compact=True) for name, held in sections.items())]
    return format_text("\n".join(parts))


def _cluster(found: Inventory) -> Plain:
    cluster: Plain = {}
    ids = sorted(found.brokers)
    racks = tuple(dict.fromkeys(rack for broker in ids if (rack := found.brokers[broker]) is not None))
    spread = {broker.id: broker.rack for broker in spread_brokers(len(ids), racks, None)}
    if spread == dict(found.brokers):
        cluster["brokers"] = len(ids)
        if racks:
            cluster["racks"] = list(racks)
    elif ids:
        cluster["brokers"] = [
            {"id": broker, **({"rack": rack} if (rack := found.brokers[broker]) is not None else {})} for broker in ids
        ]
    if found.controllers is not None:
        cluster["controllers"] = found.controllers
    if found.defaults:
        cluster["defaults"] = _config(found.defaults)
    return cluster


def _ownership(owned: Owned) -> Plain:
    sections = {"topics": owned.topics, "groups": owned.groups, "principals": owned.principals}
    return {name: list(prefixes) for name, prefixes in sections.items() if prefixes is not None}


def _topics(topics: tuple[LiveTopic, ...]) -> tuple[Plain, Plain]:
    """Profiles for what many topics share, and the topics."""
    alike = Counter(_shape(topic) for topic in topics)
    names: dict[tuple[int, frozenset[tuple[str, str]]], str] = {}
    profiles: Plain = {}
    for topic in topics:
        shape = _shape(topic)
        if alike[shape] >= ALIKE and shape not in names:
            names[shape] = _unused(_profile_name(topic), profiles)
            profiles[names[shape]] = _settings(topic)
    written: Plain = {}
    for topic in topics:
        profile = names.get(_shape(topic))
        own = {"profile": profile} if profile is not None else _settings(topic)
        written[topic.name] = {**own, "partitions": topic.partitions}
    return dict(sorted(profiles.items())), written


def _shape(topic: LiveTopic) -> tuple[int, frozenset[tuple[str, str]]]:
    return topic.replication, frozenset(topic.config.items())


def _profile_name(topic: LiveTopic) -> str:
    kind = "compacted" if "compact" in topic.config.get("cleanup.policy", "") else "event"
    kept = topic.config.get(RETENTION)
    number = parse_integer(kept) if kept is not None else None
    parts = [kind, *([format_duration(number)] if number is not None else []), f"x{topic.replication}"]
    return "-".join(parts)


def _unused(name: str, taken: Mapping[str, object]) -> str:
    number = 2
    chosen = name
    while chosen in taken:
        chosen, number = f"{name}-{number}", number + 1
    return chosen


def _settings(topic: LiveTopic) -> Plain:
    settings: Plain = {"replication": topic.replication}
    config = dict(topic.config)
    kept = parse_integer(config.get(RETENTION, ""))
    if kept is not None and kept < LARGEST:
        del config[RETENTION]
        settings["retention"] = format_duration(kept)
    if config:
        settings["config"] = _config(config)
    return settings


def _config(config: Mapping[str, str]) -> Plain:
    return {name: _value(name, text) for name, text in sorted(config.items())}


def _value(name: str, text: str) -> object:
    """With a unit where that is shorter to read; else as it is, numbers as numbers."""
    number = parse_integer(text)
    if number is None or str(number) != text:
        return text == "true" if text in {"true", "false"} else text
    formats = {".ms": format_duration, ".bytes": format_size}
    shown = next((form(number) for end, form in formats.items() if name.endswith(end) and number >= 0), text)
    return shown if len(shown) < len(text) else number


def _group(group: FoundGroup) -> Plain:
    written: Plain = {"topics": list(group.topics)}
    if group.config:
        written["groupConfig"] = _config(group.config)
    return written


def _acls(acls: frozenset[Acl]) -> list[Plain]:
    written = []
    for principal, held in groupby(sorted(acls), key=lambda acl: acl.principal):
        for rule in as_rules(held):
            assert isinstance(rule, dict)  # noqa: S101 - that is what a rule is
            entry: Plain = {"principal": principal, _FIELDS[str(rule["resource"])]: rule["name"]}
            defaults = {"pattern": "literal", "host": "*", "permission": "allow"}
            entry |= {name: rule[name] for name, default in defaults.items() if rule[name] != default}
            written.append({**entry, "operations": rule["operations"]})
    return written


def _users(users: Mapping[str, Mapping[str, int]]) -> Plain:
    secrets: dict[str, object] = {}
    written: Plain = {}
    for name, seen in users.items():
        mechanism = max(seen)  # as an import into Pulumi takes it: the stronger one
        secret = _unused(secret_name(name), secrets)
        secrets[secret] = name
        written[name] = {"mechanism": mechanism, "password": {"secret": secret}, "iterations": seen[mechanism]}
    return written


def secret_name(user: str) -> str:
    """`shop-checkout` is `shopCheckoutPassword`."""
    first, *rest = re.split(r"[^A-Za-z0-9]+", user) or [user]
    return f"{first[:1].lower()}{first[1:]}{''.join(part[:1].upper() + part[1:] for part in rest)}Password"


def _is_writable(limits: Mapping[str, float]) -> bool:
    return any(kafka in limits for kafka in LIMITS.values())


def _quota(inputs: Mapping[str, object]) -> Plain:
    return {
        name: format_rate(value) if name.endswith("ByteRate") and isinstance(value, int) else value
        for name, value in inputs.items()
    }


def _resources(found: Inventory) -> Iterator[tuple[str, str, str]]:
    """Under the names that the program registers, with the ids that each kind imports by."""
    yield from (("Topic", topic.name, topic.name) for topic in found.topics)
    yield from (("ConsumerGroup", name, name) for name, group in found.groups.items() if group.topics)
    yield from (("User", name, name) for name in found.users)
    yield from (("Access", principal, principal) for principal in sorted({acl.principal for acl in found.acls}))
    yield from (("Quota", entity.id, entity.id) for entity, limits in found.quotas.items() if _is_writable(limits))


def _notes(found: Inventory) -> Iterator[str]:
    silent = [name for name, group in found.groups.items() if not group.topics]
    if silent:
        names = ", ".join(silent)
        yield f"groups left out, because they have committed no offsets, so nothing says what they read: {names}"
    for name, seen in found.users.items():
        if len(seen) > 1:
            yield f"user {name} has {', '.join(sorted(seen))}, and a file declares one: {max(seen)} is written"
