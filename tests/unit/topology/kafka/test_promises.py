"""`clients` and the rules agree: what one replaces the other reports, and what one prints the other accepts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from kafka_topology.topology import Finding, Severity, Topology, load
from kafka_topology.topology.kafka.clients.settings import Client, client_settings
from kafka_topology.validators import validate

TOPICS = {"a": {"partitions": 6, "replication": 3}, "b": {"partitions": 6, "replication": 3}}
# The rules about the settings of one client. Others are about topics, access, or the whole.
ABOUT_CLIENTS = ("KT401", "KT402", "KT403", "KT404", "KT405", "KT406", "KT408", "KT415", "KT416", "KT417", "KT418")
ABOUT_CLIENTS += ("KT502", "KT503", "KT507", "KT511", "KT512", "KT518")
DELIVERIES = ("at-most-once", "at-least-once", "exactly-once")


def combined(**choices: tuple[object, ...]) -> Iterator[dict[str, Any]]:
    """Every combination of the choices; None is "not declared"."""
    names = [name.replace("__", ".") for name in choices]
    for values in product(*choices.values()):
        yield {name: value for name, value in zip(names, values, strict=True) if value is not None}


def producers() -> dict[str, Any]:
    found: dict[str, Any] = {}
    settings = combined(
        acks=(None, "all", "1", " -1"),
        enable__idempotence=(None, "true", "false"),
        retries=(None, "0", "3"),
        max__in__flight__requests__per__connection=(None, 1, 10),
        delivery__timeout__ms=(None, "10s", "31s"),
    )
    for delivery, config in product(DELIVERIES, [*settings]):
        name = f"p{len(found)}"
        found[name] = {"topics": ["a"], "delivery": delivery, "config": config}
        if delivery == "exactly-once":
            found[name]["transactionalId"] = f"{name}-"
    return found


def groups() -> dict[str, Any]:
    found: dict[str, Any] = {}
    settings = combined(
        enable__auto__commit=(None, "true", "false"),
        isolation__level=(None, "read_committed", "read_uncommitted"),
        auto__offset__reset=(None, "earliest", "latest", "none"),
        group__instance__id=(None, "i", "j"),
    )
    for delivery, start, config in product(DELIVERIES, ("earliest", "latest"), [*settings]):
        found[f"g{len(found)}"] = {
            "topics": ["a"],
            "delivery": delivery,
            "start": start,
            "instances": ["i"],
            "members": 1,
            "config": config,
        }
    return found


def streams() -> dict[str, Any]:
    found: dict[str, Any] = {}
    settings = combined(
        processing__guarantee=(None, "at_least_once", "exactly_once_v2"),
        producer__acks=(None, "all", "1"),
        application__id=(None, "other"),
    )
    for delivery, writes, config in product(DELIVERIES, ([], ["b"]), [*settings]):
        found[f"s{len(found)}"] = {"reads": ["a"], "writes": writes, "delivery": delivery, "config": config}
    return found


def loaded(folder: Path, section: str, roles: dict[str, Any]) -> Topology:
    writers = {"writer": {"topics": ["a"], "delivery": "exactly-once", "transactionalId": "writer-"}}
    document = {"version": 1, "topics": TOPICS, "producers": writers, section: roles}
    (folder / "topology.yaml").write_text(yaml.safe_dump(document))
    result = load(folder)
    assert result.topology is not None, result.problems[:3]
    return result.topology


def found_about(topology: Topology) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in validate(topology):
        if finding.id in ABOUT_CLIENTS:
            found.setdefault(finding.resource, []).append(finding)
    return found


def replaced(client: Client) -> dict[str, str | None]:
    return {item.name: item.replaced for item in client.properties if item.replaced is not None}


ALL = pytest.mark.parametrize(
    ("section", "roles"),
    [("producers", producers()), ("consumerGroups", groups()), ("streams", streams())],
    ids=["producers", "groups", "streams"],
)


@ALL
def test_what_clients_calls_broken_is_reported(section: str, roles: dict[str, Any], tmp_path: Path) -> None:
    topology = loaded(tmp_path, section, roles)
    reported = found_about(topology)
    broken = {client.name: replaced(client) for client in client_settings(topology) if replaced(client)}
    assert broken
    unreported = {
        name: (roles[name], settings)
        for name, settings in broken.items()
        if all(finding.severity is Severity.ADVICE for finding in reported.get(name, ()))
    }
    assert not unreported, dict([*unreported.items()][:3])


@ALL
def test_an_error_about_a_setting_is_never_printed(section: str, roles: dict[str, Any], tmp_path: Path) -> None:
    """The settings that `clients` prints, declared in the file, have no error."""
    printed = {
        client.name: roles[client.name] | {"config": {item.name: item.value for item in client.properties}}
        for client in client_settings(loaded(tmp_path, section, roles))
        if client.name in roles
    }
    left = found_about(loaded(tmp_path, section, printed))
    errors = {
        name: [(finding.id, finding.message) for finding in findings if finding.severity is Severity.ERROR]
        for name, findings in left.items()
    }
    assert not {name: each for name, each in errors.items() if each}
