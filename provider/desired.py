"""The resources that a topology asks for, in the words of the provider's schema."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..topology.model import Ownership, Topic, Topology

KindName = Literal["Topic"]


@dataclass(frozen=True, slots=True)
class Desired:
    """One resource to register. `protected` also tells the engine, so that a preview refuses."""

    kind: KindName
    name: str
    inputs: Mapping[str, object] = field(default_factory=dict)
    owner: str | None = None
    protected: bool = False


def desired_resources(topology: Topology) -> tuple[Desired, ...]:
    return tuple(_topic(topic) for topic in topology.topics.values())


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
