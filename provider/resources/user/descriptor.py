"""The descriptor of `User`: everything that the rest of the product knows about the kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from kafka_topology.provider.desired.owners import owners
from kafka_topology.topology.model.declared import User

from ..descriptor import Desired, KindDescriptor, Needs, Reviewed
from ..parts import Part, same_property
from .importing import IMPORTER
from .inputs import INPUTS, OUTPUTS
from .kind import UserKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafka_topology.provider.plugin.judging import Judged
    from kafka_topology.topology.model.declared import Topology

    from ..parts import PropertyPlaces


def desired(topology: Topology) -> Iterator[Desired]:
    """The inputs without the password: `password_secret` names it in the stack's config."""
    teams = owners(topology)
    for user in topology.users.values():
        inputs: dict[str, object] = {"name": user.name, "mechanism": user.mechanism}
        if user.iterations is not None:
            inputs["iterations"] = user.iterations
        yield Desired(
            "User", user.name, inputs, teams.get(f"User:{user.name}"), secrets={"password": user.password_secret}
        )


def part(resource: Judged, properties: PropertyPlaces) -> Part | None:
    inputs = resource.inputs
    name, mechanism, iterations = inputs.get("name"), inputs.get("mechanism"), inputs.get("iterations")
    if not isinstance(name, str) or not isinstance(mechanism, str):
        return None
    user = User(
        place=properties.places(same_property),
        name=name,
        mechanism=cast('Literal["SCRAM-SHA-256", "SCRAM-SHA-512"]', mechanism),
        password_secret="",
        iterations=iterations if isinstance(iterations, int) else None,
    )
    return Part(resource, name, properties, (user,))


DESCRIPTOR = KindDescriptor(
    name="User",
    order=30,
    inputs=INPUTS,
    outputs=OUTPUTS,
    make=UserKind,
    desired=desired,
    reviewed=Reviewed("user"),
    section="users",
    part=part,
    importer=IMPORTER,
    needs=(Needs("Describe, Alter"),),
)
