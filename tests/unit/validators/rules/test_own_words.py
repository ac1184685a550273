"""Findings about a client use the names of its own library: every rule's examples, with every library."""

from __future__ import annotations

import re

import pytest
import yaml

from kafka_topology.topology import load
from kafka_topology.topology.kafka.catalogue import VERSIONS, catalogue
from kafka_topology.topology.kafka.clients.libraries import LIBRARIES
from kafka_topology.topology.kafka.quantities import NotWhole, quantity_of
from kafka_topology.validators.engine.registry import installed_rules
from kafka_topology.validators.engine.run import run

OTHERS = [library for library in LIBRARIES.values() if not library.has_java_names]
SIDES = {"producers": "producer", "consumerGroups": "consumer"}
KINDS = {"producer": "producers", "group": "consumerGroups"}
RULES = [rule for rule in installed_rules().rules if rule.found_by == "check" and not rule.about_changes]


def as_java(name, value):
    """A value of an example as the Java client takes it: text, without a unit."""
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    text = text.lower() if isinstance(value, bool) else text
    try:
        number = quantity.parse(text) if (quantity := quantity_of(name)) is not None else None
    except NotWhole:
        number = None
    return text if number is None else str(number)


def with_library(example, library):
    """An example whose clients use a library, with its names and values; None if it has no client, or no such form."""
    try:
        document = yaml.load(example, yaml.CSafeLoader)
    except yaml.YAMLError:
        return None
    sections = document if isinstance(document, dict) else {}
    clients = [
        (side, client)
        for section, side in SIDES.items()
        for client in ((sections.get(section) or {}).values() if isinstance(sections.get(section), dict) else ())
        if isinstance(client, dict) and "library" not in client and isinstance(client.get("config", {}), dict)
    ]
    for side, client in clients:
        settings = {}
        for java, value in client.pop("config", {}).items():
            name = library.own_name(side, java)
            written = None if name is None else library.settings(side)[name].from_java(as_java(java, value))
            if written is not None:
                settings[name] = written
        client |= {"library": library.name, **({"config": settings} if settings else {})}
    return yaml.safe_dump(document, sort_keys=False) if clients else None


def leaks(text, side, library):
    """Names of the Java client in a text that the library does not have, unless the text says so."""
    names = set(catalogue(VERSIONS[-1]).scope(side)) - set(library.settings(side)) - {"acks", "retries"}
    found = {name for name in names if re.search(rf"(?<![\w.]){re.escape(name)}(?!\w|\.\w)", text)}
    found |= {name for name in ("acks", "retries") if re.search(rf"(?<![\w.]){name}(=| is | to )", text)} - set(
        library.settings(side)
    )
    return {name for name in found if f"{library.title} has no {name}" not in text and f"{name} (which" not in text}


def findings_about_clients(rule, library, folder):
    for number, example in enumerate(bad.yaml for bad in rule.bad):
        text = with_library(example, library)
        if text is None:
            continue
        file = folder / f"{rule.id}-{library.name}-{number}.yaml"
        file.write_text(text)
        topology = load(file).topology
        for finding in run(topology, rules=[rule]).findings if topology is not None else ():
            if finding.kind in KINDS:
                yield finding


@pytest.mark.parametrize("library", OTHERS, ids=lambda library: library.name)
def test_no_name_of_java_in_a_finding_about_another_library(library, tmp_path):
    seen, leaked = set(), {}
    for rule in RULES:
        for finding in findings_about_clients(rule, library, tmp_path):
            assert not finding.rule_failed, finding.message
            seen.add(rule.id)
            texts = (finding.message, finding.fix, *(related.message for related in finding.related))
            for text in texts:
                if found := leaks(text, SIDES[KINDS[finding.kind]], library):
                    leaked[rule.id, text] = found
    assert not leaked
    assert len(seen) > 20  # otherwise the examples were not translated
