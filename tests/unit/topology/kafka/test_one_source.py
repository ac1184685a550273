"""`clients` and `validate` have one source: the clients of every rule's examples, written for every library."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kafka_topology.topology import Finding, Severity, Topology, load
from kafka_topology.topology.kafka.clients.formats import in_own_names
from kafka_topology.topology.kafka.clients.libraries import LIBRARIES, Library, Side, library_of, side_of
from kafka_topology.topology.kafka.clients.settings import Client, client_settings
from kafka_topology.topology.model.declared import ConsumerGroup, Producer
from kafka_topology.validators import builtin_rules, validate, with_errors

SECTIONS: dict[str, Side] = {"producers": "producer", "consumerGroups": "consumer"}
Document = dict[str, Any]
# What follows where KT401 or KT402 asks for idempotence.
OF_IDEMPOTENCE = {"acks", "enable.idempotence", "retries", "max.in.flight.requests.per.connection"}
# How many settings of the examples `clients` changes: what a library does not have is left out of them.
FEWEST = {
    "java": 31,
    "spring": 29,
    "librdkafka": 22,
    "kafka-python": 22,
    "aiokafka": 14,
    "sarama": 21,
    "franz-go": 25,
    "kafka-go": 7,
    "kafkajs": 18,
}
LEFT_OUT = {"profiles", "environments", "acls", "ownership"}


def examples() -> Iterator[Document]:
    """The examples of rules about clients that name no library."""
    for rule in builtin_rules():
        if rule.id.startswith(("KT4", "KT5")):
            for text in (*rule.good, *(bad.yaml for bad in rule.bad if not bad.more_files)):
                document = yaml.safe_load(text)
                if LEFT_OUT.isdisjoint(document) and "library" not in text and "copartitionedWith" not in text:
                    yield document


def written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def in_words_of(library: Library, side: Side, config: Document) -> Document:
    """The settings of the Java client as another library writes them; what it cannot say is left out."""
    if library.has_java_names:
        return config
    found = {}
    for java, value in config.items():
        name = library.own_name(side, java)
        own = library.settings(side).get(name or "")
        said = None if own is None else written(value) if own.form == "duration" else own.from_java(written(value))
        if name is not None and said is not None:
            found[name] = said
    return found


def merged(library: Library) -> Iterator[Document]:
    """The examples in as few topologies as they have clusters, each with names of its own."""
    together: dict[str, Document] = {}
    for number, example in enumerate(examples()):
        cluster = example.get("cluster", {})
        if cluster and library.name not in ("java", "librdkafka"):
            continue  # what depends on the brokers does not depend on the library
        one = together.setdefault(json.dumps(cluster), {"version": 1, "cluster": cluster, "topics": {}})
        for name, topic in example.get("topics", {}).items():
            one["topics"][f"e{number}.{name}"] = topic
        for section, side in SECTIONS.items():
            for name, declared in example.get(section, {}).items():
                client = {**declared, "library": library.name}
                client["config"] = in_words_of(library, side, declared.get("config", {}))
                if "topics" in client:
                    client["topics"] = [f"e{number}.{topic}" for topic in client["topics"]]
                if "assign" in client:
                    client["assign"] = {f"e{number}.{topic}": part for topic, part in client["assign"].items()}
                one.setdefault(section, {})[f"e{number}.{name}"] = client
    yield from together.values()


@pytest.fixture(scope="module", params=LIBRARIES.values(), ids=LIBRARIES.keys())
def judged(request, tmp_path_factory) -> list[tuple[Topology, tuple[Finding, ...]]]:
    folder = tmp_path_factory.mktemp("examples")
    found = []
    for number, document in enumerate(merged(request.param)):
        file = folder / f"{number}.yaml"
        file.write_text(yaml.safe_dump(document, sort_keys=False))
        loaded = load(file)
        assert loaded.topology is not None, loaded.problems[:3]
        found.append((loaded.topology, validate(loaded.topology)))
    return found


def declared_of(client: Client, topology: Topology) -> Producer | ConsumerGroup | None:
    if client.kind == "producer":
        return topology.producers[client.name]
    return topology.consumer_groups[client.name] if client.kind == "consumer" else None


def changed(client: Client, declared: Producer | ConsumerGroup) -> Iterator[str]:
    """The declared settings that `clients` prints with another value, or leaves out."""
    library, printed = library_of(declared), in_own_names(client)
    known = library.settings(side_of(declared)) if library is not None else {}
    for name, value in declared.config.items():
        own = known.get(name)
        new = printed.get(name)
        if new is None or (new.lower() != value.lower() and (own is None or own.to_java(new) != own.to_java(value))):
            yield name


def java_name(declared: Producer | ConsumerGroup, name: str) -> str | None:
    library = library_of(declared)
    own = library.settings(side_of(declared)).get(name) if library is not None else None
    return name if own is None else own.java


def test_every_setting_that_clients_changes_is_reported(judged):
    library, unreported, seen = None, [], 0
    for topology, findings in judged:
        for client in client_settings(topology):
            declared = declared_of(client, topology)
            assert declared is not None
            library = library_of(declared)
            own = [each for each in findings if each.resource == client.name and each.severity is not Severity.ADVICE]
            for name in changed(client, declared):
                seen += 1
                place = declared.place("config", name).location
                follows = java_name(declared, name) in OF_IDEMPOTENCE
                if not any(
                    each.location == place or name in each.message or (follows and each.id in ("KT401", "KT402"))
                    for each in own
                ):
                    unreported.append((client.name, dict(declared.config), name))
    assert library is not None
    assert seen >= FEWEST[library.name], "the examples show fewer changes than before"
    assert unreported == []


def test_every_error_about_a_client_is_gone_or_in_its_notes(judged, tmp_path: Path):
    """Declared as they are printed, clients have no error but those that their notes name."""
    for topology, _ in judged:
        clients = with_errors(topology, client_settings(topology))
        noted = {
            (client.name, note.split(":")[0].removeprefix("error "))
            for client in clients
            for note in client.notes
            if note.startswith("error ")
        }
        document = yaml.safe_load(Path(topology.cluster.location.file).read_text())
        for client in clients:
            section = "producers" if client.kind == "producer" else "consumerGroups"
            document[section][client.name]["config"] = in_own_names(client)
        file = tmp_path / "printed.yaml"
        file.write_text(yaml.safe_dump(document, sort_keys=False))
        loaded = load(file)
        assert loaded.topology is not None, loaded.problems[:3]
        errors = {
            (finding.resource, finding.id)
            for finding in validate(loaded.topology)
            if finding.severity is Severity.ERROR and finding.kind in ("producer", "group")
        }
        assert errors == noted
