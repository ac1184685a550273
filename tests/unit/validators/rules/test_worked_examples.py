"""The two worked examples are clean as they stand, and no dangerous change of any of their values goes unseen.

Every declared value is either in DANGEROUS, with the values that would hurt and the rule that must find each, or in
HARMLESS, with the reason why no value of it is a mistake by itself. A new value in an example must be put in one.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kafka_topology.topology import Severity, load
from kafka_topology.validators import validate

EXAMPLES = Path(__file__).parents[4] / "examples"
REMOVED = object()
Steps = tuple[str | int, ...]
Mutations = dict[str, list[tuple[Any, str]]]

PRODUCER: Mutations = {
    "topics.0": [("{topic}s", "KT006")],
    "config.acks": [("0", "KT401"), ("1", "KT401"), ("al", "KT417")],
    "config.enable.idempotence": [(False, "KT402|KT403|KT406")],
    "config.max.in.flight.requests.per.connection": [(6, "KT403"), (0, "KT417")],
    "principal": [("shop", "KT003")],
}
GROUP: Mutations = {
    "topics.0": [("{topic}s", "KT006")],
    "config.enable.auto.commit": [(True, "KT502"), (REMOVED, "KT502")],
    "start": [("erliest", "KT003"), (REMOVED, "KT503")],
    "maxLag": [(-1, "KT003"), (REMOVED, "KT516")],
    "delivery": [("exactly", "KT003")],
}
TRANSACTIONAL: Mutations = {
    **PRODUCER,
    "transactionalId": [(REMOVED, "KT406")],
    "delivery": [("exactly", "KT003")],
    "config.delivery.timeout.ms": [("10s", "KT405"), ("5m", "KT420")],
    "config.transaction.timeout.ms": [("1h", "KT408"), ("30s", "KT420"), ("soon", "KT003")],
}
COMMITTED: Mutations = {
    **GROUP,
    "config.isolation.level": [("read_uncommitted", "KT507"), (REMOVED, "KT507")],
    "config.group.protocol": [("classic", "KT509"), ("consumr", "KT417")],
}
DANGEROUS: dict[str, Mutations] = {
    "exactly-once": {
        "version": [(2, "KT003"), (REMOVED, "KT003")],
        "cluster.kafka": [("four", "KT003"), ("3.9", "KT522")],
        "cluster.brokers": [(1, "KT104"), (2, "KT104|KT701")],
        "cluster.racks.0": [("b", "KT703")],
        "cluster.controllers": [(1, "KT709"), (2, "KT702"), (4, "KT702")],
        "cluster.defaults.auto.create.topics.enable": [(True, "KT707"), (REMOVED, "KT707")],
        "cluster.defaults.transaction.state.log.replication.factor": [(1, "KT706"), (5, "KT708")],
        "cluster.defaults.transaction.state.log.min.isr": [(3, "KT706")],
        "ownership.topics.0": [("shop.", "KT014")],
        "ownership.groups.0": [("shop.", "KT014")],
        "ownership.principals.0": [("User:shop-", "KT014")],
        "profiles.money.owner": [(REMOVED, "KT013")],
        "profiles.money.partitions": [(0, "KT003"), (2, "KT501")],
        "profiles.money.replication": [(1, "KT103"), (2, "KT101"), (4, "KT104")],
        "profiles.money.ordering": [("total", "KT203")],
        "profiles.money.key.type": [("none", "KT204"), ("strin", "KT006")],
        "profiles.money.key.partitioner": [("round-robin", "KT214"), ("sticky", "KT214"), ("random", "KT214")],
        "profiles.money.value.format": [("jsn", "KT003")],
        "profiles.money.config.min.insync.replicas": [
            (1, "KT407"),
            (3, "KT101"),
            (4, "KT101"),
            (0, "KT302"),
            (REMOVED, "KT407"),
        ],
        "topics.bank.transfers.profile": [("mony", "KT006")],
        "topics.bank.balances.profile": [("mony", "KT006")],
        **{f"producers.transfers.{path}": each for path, each in TRANSACTIONAL.items()},
        **{f"producers.ledger.{path}": each for path, each in TRANSACTIONAL.items()},
        "producers.ledger.principal": [("shop", "KT003"), ("User:bank-writer", "KT421")],
        "producers.transfers.transactionalId": [(REMOVED, "KT406"), ("bank-ledger-", "KT412")],
        **{f"consumerGroups.bank.ledger.{path}": each for path, each in COMMITTED.items()},
        **{f"consumerGroups.bank.statements.{path}": each for path, each in COMMITTED.items()},
        "consumerGroups.bank.ledger.members": [(7, "KT501"), (0, "KT003")],
        "consumerGroups.bank.statements.members": [(7, "KT501"), (0, "KT003")],
    },
    "simple-consistency": {
        "version": [(2, "KT003")],
        "cluster.kafka": [("four", "KT003")],
        "cluster.brokers": [(1, "KT104"), (2, "KT104")],
        "cluster.controllers": [(1, "KT709"), (2, "KT702")],
        "cluster.limits.throughputPerPartition": [("10KB/s", "KT201")],
        "cluster.defaults.auto.create.topics.enable": [(True, "KT707"), (REMOVED, "KT707")],
        "topics.plant.readings.owner": [(REMOVED, "KT013")],
        "topics.plant.readings.partitions": [(2, "KT203"), (0, "KT003")],
        "topics.plant.readings.replication": [(1, "KT103"), (2, "KT101"), (4, "KT104")],
        "topics.plant.readings.ordering": [("per-key", "KT204")],
        "topics.plant.readings.throughput.peak": [("11MB/s", "KT201")],
        "topics.plant.readings.throughput.recordSize": [("2MB", "KT320")],
        "topics.plant.readings.value.format": [("jsn", "KT003")],
        "topics.plant.readings.config.min.insync.replicas": [
            (1, "KT102"),
            (3, "KT101"),
            (4, "KT101"),
            (0, "KT302"),
            (REMOVED, "KT102|KT107"),
        ],
        "topics.plant.readings.config.max.message.bytes": [("2MB", "KT309|KT515"), ("100KB", "KT413")],
        **{f"producers.gateway.{path}": each for path, each in PRODUCER.items()},
        "producers.gateway.delivery": [("exactly-once", "KT406"), ("least", "KT003")],
        "producers.gateway.config.request.timeout.ms": [("3m", "KT405")],
        "producers.gateway.config.delivery.timeout.ms": [("20s", "KT405")],
        "producers.gateway.config.linger.ms": [("2m", "KT405"), (-1, "KT417")],
        "producers.gateway.config.max.request.size": [(2_000_000, "KT413")],
        **{f"consumerGroups.plant.dashboard.{path}": each for path, each in GROUP.items()},
        # `auto.offset.reset` says where it starts as well, so the one may be removed, but not both.
        "consumerGroups.plant.dashboard.start": [("erliest", "KT003")],
        "consumerGroups.plant.dashboard.delivery": [("exactly-once", "KT507"), ("least", "KT003")],
        "consumerGroups.plant.dashboard.members": [(2, "KT501"), (0, "KT003")],
        "consumerGroups.plant.dashboard.config.auto.offset.reset": [("newest", "KT417")],
        "consumerGroups.plant.dashboard.config.session.timeout.ms": [
            ("5s", "KT504|KT505"),
            ("1s", "KT505"),
            ("1h", "KT505"),
        ],
        "consumerGroups.plant.dashboard.config.heartbeat.interval.ms": [("4s", "KT504"), ("10s", "KT504")],
        "consumerGroups.plant.dashboard.config.max.poll.interval.ms": [("5s", "KT506")],
        "consumerGroups.plant.dashboard.config.max.poll.records": [(0, "KT417")],
        "consumerGroups.plant.dashboard.config.max.partition.fetch.bytes": [("10KB", "KT309|KT515")],
    },
}
PRINCIPAL_OF_A_GROUP = "any principal may read; who may is for the access rules"
HARMLESS: dict[str, dict[str, str]] = {
    "exactly-once": {
        "cluster.name": "what people call it",
        "cluster.racks.1": "as the first",
        "cluster.racks.2": "as the first",
        "profiles.money.key.field": "any field may be the key; the record checks compare it",
        "topics.bank.transfers.description": "text",
        "topics.bank.balances.description": "text",
        "producers.transfers.owner": "a team's name",
        "producers.ledger.owner": "a team's name",
        "consumerGroups.bank.ledger.owner": "a team's name",
        "consumerGroups.bank.statements.owner": "a team's name",
        "consumerGroups.bank.ledger.principal": PRINCIPAL_OF_A_GROUP,
        "consumerGroups.bank.statements.principal": PRINCIPAL_OF_A_GROUP,
    },
    "simple-consistency": {
        "topics.plant.readings.description": "text",
        "topics.plant.readings.throughput.average": "below the peak, it only feeds advice",
        "producers.gateway.owner": "a team's name",
        "consumerGroups.plant.dashboard.owner": "a team's name",
        "consumerGroups.plant.dashboard.principal": PRINCIPAL_OF_A_GROUP,
        "consumerGroups.plant.dashboard.config.partition.assignment.strategy": "one member has nothing to share",
    },
}
CASES = [
    pytest.param(example, path, value, rule, id=f"{example}-{path}-{'removed' if value is REMOVED else value}")
    for example, mutations in DANGEROUS.items()
    for path, values in mutations.items()
    for value, rule in values
]


def document(example: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((EXAMPLES / example / "topology.yaml").read_text())
    return loaded


def leaves(value: Any, path: Steps = ()) -> Iterator[Steps]:
    if isinstance(value, dict):
        for key, child in value.items():
            yield from leaves(child, (*path, key))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from leaves(child, (*path, index))
    else:
        yield path


def named(path: Steps) -> str:
    return ".".join(map(str, path))


def ids_of(text: str, folder: Path) -> dict[str, Severity]:
    file = folder / "topology.yaml"
    file.write_text(text)
    loaded = load(file)
    findings = loaded.problems if loaded.topology is None else validate(loaded.topology)
    return {finding.id: finding.severity for finding in findings}


@pytest.mark.parametrize("example", DANGEROUS)
def test_a_worked_example_is_clean(example: str, tmp_path: Path) -> None:
    assert ids_of((EXAMPLES / example / "topology.yaml").read_text(), tmp_path) == {}
    assert ids_of(yaml.safe_dump(document(example), sort_keys=False), tmp_path) == {}, "the mutations start from this"


@pytest.mark.parametrize("example", DANGEROUS)
def test_every_declared_value_is_judged(example: str) -> None:
    declared = {named(path) for path in leaves(document(example))}
    dangerous, harmless = DANGEROUS[example].keys(), HARMLESS[example].keys()
    assert declared == dangerous | harmless
    assert not dangerous & harmless


@pytest.mark.parametrize(("example", "path", "value", "rule"), CASES)
def test_a_dangerous_change_is_found(example: str, path: str, value: Any, rule: str, tmp_path: Path) -> None:
    changed = copy.deepcopy(document(example))
    steps = next(steps for steps in leaves(changed) if named(steps) == path)
    holder: Any = changed
    for step in steps[:-1]:
        holder = holder[step]
    if value is REMOVED:
        del holder[steps[-1]]
    else:
        held = holder[steps[-1]]
        holder[steps[-1]] = value.replace("{topic}", str(held)) if isinstance(value, str) else value
    found = ids_of(yaml.safe_dump(changed, sort_keys=False), tmp_path)
    assert found.keys() & set(rule.split("|")), f"expected {rule}, found {sorted(found)}"


def test_a_group_that_says_nowhere_where_it_starts_is_found(tmp_path: Path) -> None:
    changed = document("simple-consistency")
    group = changed["consumerGroups"]["plant.dashboard"]
    del group["start"], group["config"]["auto.offset.reset"]
    assert "KT503" in ids_of(yaml.safe_dump(changed, sort_keys=False), tmp_path)


def test_an_eager_assignor_is_found_where_there_is_something_to_share(tmp_path: Path) -> None:
    changed = document("simple-consistency")
    changed["topics"]["plant.readings"] |= {"partitions": 3, "ordering": "none"}
    group = changed["consumerGroups"]["plant.dashboard"]
    group["members"] = 3
    del group["config"]["partition.assignment.strategy"]
    assert "KT509" in ids_of(yaml.safe_dump(changed, sort_keys=False), tmp_path)
