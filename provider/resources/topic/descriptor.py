"""The descriptor of `Topic`: everything that the rest of the product knows about the kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast, get_args

from kafka_topology.topology.model.declared import Key, KeyType, Topic

from ..descriptor import Desired, Exported, KindDescriptor, Needs, Reviewed
from ..parts import Part, deletion, same_property, texts
from .importing import IMPORTER
from .inputs import INPUTS, OUTPUTS
from .kind import TopicKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafka_topology.provider.plugin.judging import Judged
    from kafka_topology.topology.model.declared import Topology

    from ..parts import FieldPath, PropertyPlaces


def desired(topology: Topology) -> Iterator[Desired]:
    return map(_desired, topology.topics.values())


def _desired(topic: Topic) -> Desired:
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


def part(resource: Judged, properties: PropertyPlaces) -> Part | None:
    """None while a value that every rule needs is unknown: the name, the partitions or the replication."""
    inputs = resource.inputs
    name, partitions, replication = (inputs.get(key) for key in ("name", "partitions", "replication"))
    if not isinstance(name, str) or not isinstance(partitions, int) or not isinstance(replication, int):
        return None
    key_type = inputs.get("keyType")
    topic = Topic(
        place=properties.places(_property),
        name=name,
        partitions=partitions,
        replication=replication,
        key=Key(cast("KeyType", key_type)) if key_type in get_args(KeyType) else None,
        config=texts(inputs.get("config")),
        deletion=deletion(inputs.get("deletion")),
    )
    return Part(resource, name, properties, (topic,), topic=name)


def _property(path: FieldPath) -> str:
    return "keyType" if path[:1] == ("key",) else same_property(path)


DESCRIPTOR = KindDescriptor(
    name="Topic",
    order=10,
    inputs=INPUTS,
    outputs=OUTPUTS,
    make=TopicKind,
    desired=desired,
    reviewed=Reviewed(
        "topic",
        fields=("partitions", "replication", "config.", "key.type"),
        by_field=True,
        written={"keyType": "key.type"},
    ),
    section="topics",
    part=part,
    importer=IMPORTER,
    exported=Exported("topics", {"id": "topic_id", "partitions": "partitions"}),
    needs=(
        Needs("Describe", "Describe, DescribeConfigs, Create, Alter, AlterConfigs, Delete, Read"),
        Needs("Describe, Alter, DescribeConfigs, AlterConfigs", "as above", when="whose replication changes"),
    ),
)
