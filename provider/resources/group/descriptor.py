"""The descriptor of `ConsumerGroup`: everything that the rest of the product knows about the kind."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from kafka_topology.topology.model.declared import ConsumerGroup, OffsetReset

from ..any_group.inputs import parse_reset, position
from ..descriptor import Desired, Exported, KindDescriptor, Needs, Reviewed
from ..parts import Part, deletion, listed, same_property, text, texts
from .importing import IMPORTER
from .inputs import INPUTS, OUTPUTS
from .kind import GroupKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafka_topology.provider.plugin.judging import Judged
    from kafka_topology.topology.model.declared import Topology

    from ..parts import FieldPath, PropertyPlaces


def desired(topology: Topology) -> Iterator[Desired]:
    return map(_desired, topology.consumer_groups.values())


def _desired(group: ConsumerGroup) -> Desired:
    inputs: dict[str, object] = {"name": group.name, "deletion": group.deletion}
    if group.topics:
        inputs["topics"] = list(group.topics)
    if group.assign:
        inputs["assign"] = {topic: list(partitions) for topic, partitions in group.assign.items()}
    if group.start is not None:
        inputs["start"] = _written(group.start)
    if group.reset is not None:
        inputs["reset"] = {"to": _written(group.reset.to), "token": group.reset.ticket}
    if group.group_config:
        inputs["config"] = dict(group.group_config)
    if isinstance(group.max_lag, int):  # the resource knows a number of records; an audit compares times
        inputs["maxLag"] = group.max_lag
    return Desired(
        kind="ConsumerGroup",
        name=group.name,
        inputs=inputs,
        owner=group.owner,
        protected=group.deletion == "protected",
        after=(*group.topics, *group.assign),
    )


def _written(where: str | datetime) -> str:
    return where.isoformat() if isinstance(where, datetime) else where


def part(resource: Judged, properties: PropertyPlaces) -> Part | None:
    inputs = resource.inputs
    name = inputs.get("name")
    if not isinstance(name, str):
        return None
    assign, start, lag = inputs.get("assign"), text(inputs.get("start")), inputs.get("maxLag")
    reset = parse_reset(inputs)
    group = ConsumerGroup(
        place=properties.places(_property),
        name=name,
        topics=listed(inputs.get("topics"), str),
        assign={topic: listed(taken, int) for topic, taken in assign.items()} if isinstance(assign, dict) else {},
        start=position(start) if start is not None else None,
        reset=OffsetReset(reset.to, reset.token) if reset is not None else None,
        max_lag=lag if isinstance(lag, int) else None,
        group_config=texts(inputs.get("config")),
        deletion=deletion(inputs.get("deletion")),
    )
    return Part(resource, name, properties, (group,), reads=frozenset({*group.topics, *group.assign}))


def _property(path: FieldPath) -> str:
    """The resource's `config` is `groupConfig` in a topology, because the resource has no client settings."""
    return same_property(("config", *path[1:]) if path[:1] == ("groupConfig",) else path)


DESCRIPTOR = KindDescriptor(
    name="ConsumerGroup",
    order=20,
    inputs=INPUTS,
    outputs=OUTPUTS,
    make=GroupKind,
    desired=desired,
    reviewed=Reviewed("group", fields=("topics", "assign", "start", "reset", "groupConfig", "maxLag")),
    section="consumer_groups",
    part=part,
    importer=IMPORTER,
    exported=Exported("groups", {"state": "state", "members": "members", "lag": "lag"}),
    needs=(Needs("", "Describe, Read", "Describe, DescribeConfigs, Read, AlterConfigs, Delete"),),
)
