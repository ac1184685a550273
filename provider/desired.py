"""The resources that a topology asks for, in the words of the provider's schema."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from . import desired_access

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..topology.model import ConsumerGroup, Ownership, Topic, Topology

KindName = Literal["Topic", "ConsumerGroup", "Access", "User", "Quota"]


@dataclass(frozen=True, slots=True)
class Desired:
    """One resource to register. `protected` also tells the engine, so that a preview refuses.

    `after` are the topics that must be there first.
    """

    kind: KindName
    name: str
    inputs: Mapping[str, object] = field(default_factory=dict)
    owner: str | None = None
    protected: bool = False
    after: tuple[str, ...] = ()
    secrets: Mapping[str, str] = field(default_factory=dict)
    """Inputs whose values are secrets of the stack's config, and their names there."""


def desired_resources(topology: Topology) -> tuple[Desired, ...]:
    """Topics first: the others may come after some of them."""
    return (
        *(_topic(topic) for topic in topology.topics.values()),
        *desired_groups(topology),
        *_security(topology),
    )


def desired_groups(topology: Topology) -> tuple[Desired, ...]:
    return tuple(_group(group) for group in topology.consumer_groups.values())


def _security(topology: Topology) -> Iterator[Desired]:
    owners = desired_access.owners(topology)
    for declared in topology.users.values():
        name, inputs, principal = desired_access.user(declared)
        secrets = {"password": declared.password_secret}
        yield Desired("User", name, inputs, owners.get(principal or ""), secrets=secrets)
    for name, inputs, principal in desired_access.access(topology):
        yield Desired("Access", name, inputs, owners.get(principal or ""))
    for quota in topology.quotas:
        name, inputs, principal = desired_access.quota(quota)
        yield Desired("Quota", name, inputs, owners.get(principal or ""))


def desired_ownership(ownership: Ownership) -> dict[str, list[str]]:
    """The provider's ownership; a section that is not declared sets no limit and is left out."""
    sections = {
        "topics": ownership.topics,
        "groups": ownership.groups,
        "principals": ownership.principals,
    }
    return {name: list(prefixes) for name, prefixes in sections.items() if prefixes is not None}


def _topic(topic: Topic) -> Desired:
    inputs: dict[str, object] = {
        "name": topic.name,
        "partitions": topic.partitions,
        "replication": topic.replication,
        "deletion": topic.deletion,
    }
    if topic.config:
        inputs["config"] = dict(topic.config)
    if topic.key is not None:
        inputs["keyType"] = topic.key.type
    return Desired(
        kind="Topic",
        name=topic.name,
        inputs=inputs,
        owner=topic.owner,
        protected=topic.deletion == "protected",
    )


def _group(group: ConsumerGroup) -> Desired:
    inputs: dict[str, object] = {"name": group.name, "deletion": group.deletion}
    if group.topics:
        inputs["topics"] = list(group.topics)
    if group.assign:
        inputs["assign"] = {topic: list(partitions) for topic, partitions in group.assign.items()}
    if group.start is not None:
        inputs["start"] = _position(group.start)
    if group.reset is not None:
        inputs["reset"] = {"to": _position(group.reset.to), "token": group.reset.ticket}
    if group.group_config:
        inputs["config"] = dict(group.group_config)
    if group.max_lag is not None:
        inputs["maxLag"] = group.max_lag
    return Desired(
        kind="ConsumerGroup",
        name=group.name,
        inputs=inputs,
        owner=group.owner,
        protected=group.deletion == "protected",
        after=(*group.topics, *group.assign),
    )


def _position(position: str | datetime) -> str:
    return position.isoformat() if isinstance(position, datetime) else position
