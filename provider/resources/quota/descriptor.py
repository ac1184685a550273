"""The descriptor of `Quota`: everything that the rest of the product knows about the kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafka_topology.cluster.live.quotas import Entity
from kafka_topology.provider.desired.owners import owners
from kafka_topology.topology.model.declared import Quota

from ..descriptor import Desired, KindDescriptor, Needs, Reviewed
from ..parts import Part, same_property, text
from .importing import IMPORTER
from .inputs import INPUTS, OUTPUTS
from .kind import QuotaKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kafka_topology.provider.plugin.judging import Judged
    from kafka_topology.provider.plugin.properties import Value
    from kafka_topology.topology.model.declared import Topology

    from ..parts import PropertyPlaces


def desired(topology: Topology) -> Iterator[Desired]:
    teams = owners(topology)
    for quota in topology.quotas:
        name = Entity(quota.user, quota.client_id).id
        yield Desired("Quota", name, inputs_of(quota), teams.get(f"User:{quota.user}"))


def inputs_of(quota: Quota) -> dict[str, Value]:
    inputs: dict[str, Value] = {
        "user": quota.user,
        "clientId": quota.client_id,
        "producerByteRate": quota.producer_byte_rate,
        "consumerByteRate": quota.consumer_byte_rate,
        "requestPercentage": quota.request_percentage,
        "controllerMutationRate": quota.controller_mutation_rate,
    }
    return {key: value for key, value in inputs.items() if value is not None}


def part(resource: Judged, properties: PropertyPlaces) -> Part | None:
    inputs = resource.inputs
    entity = Entity(text(inputs.get("user")), text(inputs.get("clientId")))
    rates = {name: value for name, value in inputs.items() if isinstance(value, int | float)}
    quota = Quota(
        place=properties.places(same_property),
        user=entity.user,
        client_id=entity.client_id,
        producer_byte_rate=_whole(rates.get("producerByteRate")),
        consumer_byte_rate=_whole(rates.get("consumerByteRate")),
        request_percentage=rates.get("requestPercentage"),
        controller_mutation_rate=rates.get("controllerMutationRate"),
    )
    return Part(resource, entity.id, properties, (quota,)) if entity.id else None


def _whole(value: float | None) -> int | None:
    return int(value) if value is not None else None


def _named(inputs: Mapping[str, Any]) -> str:
    words = (("user", "user"), ("clientId", "client"))
    return " and ".join(f"{word} {inputs[at]}" for at, word in words if isinstance(inputs.get(at), str)) or "default"


DESCRIPTOR = KindDescriptor(
    name="Quota",
    order=50,
    inputs=INPUTS,
    outputs=OUTPUTS,
    make=QuotaKind,
    desired=desired,
    reviewed=Reviewed("quota", named=_named),
    section="quotas",
    part=part,
    importer=IMPORTER,
    needs=(Needs("DescribeConfigs, AlterConfigs"),),
)
