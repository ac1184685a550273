"""Writes an inventory as files: formatted YAML, and the file for `pulumi import --file`. Pure."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from kafka_topology.importing.inventory import Inventory, importers
from kafka_topology.provider.config.settings import PACKAGE, Owned
from kafka_topology.provider.resources.descriptor import token_of
from kafka_topology.provider.resources.importer import CLUSTER_FILE, Plain, written_config
from kafka_topology.topology.kafka.catalogue import VERSIONS
from kafka_topology.topology.model.declared import spread_brokers
from kafka_topology.topology.model.words import escaped
from kafka_topology.topology.writing.formatting import format_text
from kafka_topology.topology.writing.show import dumped

_LOWERED = "# Errors in what was imported. Fix them one after the other, and remove their lines here."


@dataclass(frozen=True, slots=True)
class Imported:
    """The files by name, the resources that Pulumi imports as (type, name, id), and notes on what no file can hold."""

    files: Mapping[str, str]
    resources: tuple[tuple[str, str, str], ...]
    notes: tuple[str, ...] = ()


def imported(found: Inventory, owned: Owned) -> Imported:
    files: dict[str, dict[str, object]] = {CLUSTER_FILE: {"cluster": _cluster(found)}}
    resources: list[tuple[str, str, str]] = []
    unsayable: list[str] = []
    notes: list[str] = []
    for kind, importer in importers():
        held, odd = importer.sayable(found.of(kind))
        unsayable += odd
        notes += importer.notes(held)
        resources += ((kind, name, id_) for name, id_ in importer.listed(held))
        for file, sections in importer.sections(held).items():
            files.setdefault(file, {}).update(sections)
        if importer.ownership is not None:
            files[CLUSTER_FILE]["ownership"] = importer.ownership(held, owned)
    notes = [escaped(note) for note in (*unsayable, *notes, *_cluster_notes(found))]
    written = {}
    for name, sections in files.items():
        filled = {section: value for section, value in sections.items() if value}
        if filled:
            comments = notes if name == CLUSTER_FILE else ()
            written[name] = format_text("".join(_comment(note) for note in comments) + _text(filled))
    return Imported(written, tuple(resources), tuple(notes))


def with_lowered(cluster: str, rules: Collection[str]) -> str:
    """The cluster file with these rules lowered to warnings, so you can import resources before you fix them."""
    if not rules:
        return cluster
    lowered = dumped({"rules": {rule: {"severity": "warning"} for rule in sorted(rules)}}, compact=True)
    return format_text(f"{cluster}\n{_LOWERED}\n{lowered}")


def pulumi_import(resources: tuple[tuple[str, str, str], ...], project: str, stack: str) -> str:
    """The file for `pulumi import --file`. It names the provider of the program, which must exist already."""
    document = {
        "nameTable": {"kafka": provider_urn(project, stack)},
        "resources": [
            {"type": token_of(kind), "name": name, "id": id_, "provider": "kafka"} for kind, name, id_ in resources
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def provider_urn(project: str, stack: str) -> str:
    return f"urn:pulumi:{stack}::{project}::pulumi:providers:{PACKAGE}::kafka"


def _text(sections: Mapping[str, object]) -> str:
    """The sections, separated by blank lines and formatted as `fmt` would."""
    parts = ["version: 1\n", *(dumped({name: held}, compact=True) for name, held in sections.items())]
    return format_text("\n".join(parts))


def _comment(note: str) -> str:
    return f"# Note: {note}.\n"


def _cluster_notes(found: Inventory) -> Iterator[str]:
    whose: dict[str, list[str]] = {}
    for topic, owner in found.applications.items():
        whose.setdefault(owner, []).append(topic)
    for owner, topics in whose.items():
        yield f"topics left out, because {owner} creates and changes them: {', '.join(topics)}"
    if found.down:
        down = ", ".join(map(str, found.down))
        yield f"brokers that do not run are counted, so check whether they still belong to the cluster: {down}"
    if found.uneven:
        yield f"broker settings left out, because brokers differ: {', '.join(found.uneven)}"
    if found.version not in VERSIONS:
        is_known = "is not known" if found.version is None else f"is {found.version}"
        yield f"cluster.kafka left out, because the version {is_known}, and rules know {VERSIONS[0]} to {VERSIONS[-1]}"


def _cluster(found: Inventory) -> Plain:
    cluster: Plain = {}
    if found.version in VERSIONS:
        cluster["kafka"] = found.version
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
        cluster["defaults"] = written_config(found.defaults)
    return cluster
