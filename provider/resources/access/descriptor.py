"""The descriptor of `Access`: everything that the rest of the product knows about the kind."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

from kafka_topology.provider.desired.owners import owners
from kafka_topology.topology.kafka.access import derived_acls
from kafka_topology.topology.model.declared import Acl as DeclaredAcl

from ..descriptor import Desired, KindDescriptor, Needs, Reviewed
from ..parts import Part, listed
from .importing import IMPORTER
from .inputs import INPUTS, OUTPUTS, as_rules, with_defaults
from .kind import AccessKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from kafka_topology.provider.plugin.judging import Judged
    from kafka_topology.provider.plugin.properties import Value
    from kafka_topology.topology.model.declared import PatternType, Permission, Places, Topology

    from ..parts import FieldPath, PropertyPlaces


def desired(topology: Topology) -> Iterator[Desired]:
    teams = owners(topology)
    for principal, grants in groupby(derived_acls(topology), key=lambda grant: grant.principal):
        yield Desired("Access", principal, {"principal": principal, "rules": as_rules(grants)}, teams.get(principal))


def part(resource: Judged, properties: PropertyPlaces) -> Part | None:
    principal = resource.inputs.get("principal")
    if not isinstance(principal, str):
        return None
    # In the program's order: the checked rules are sorted, but an index in a message must point at the right rule.
    rules = with_defaults(resource.given.get("rules"))
    found = (
        _acl(principal, rule, properties.places(_rule_property(index)))
        for index, rule in enumerate(rules if isinstance(rules, list) else ())
        if isinstance(rule, dict)
    )
    return Part(resource, principal, properties, tuple(acl for acl in found if acl is not None))


def _acl(principal: str, rule: Mapping[str, Value], place: Places) -> DeclaredAcl | None:
    texts = {field: value for field, value in rule.items() if isinstance(value, str)}
    if not {"resource", "name", "pattern", "host", "permission"} <= texts.keys():
        return None
    return DeclaredAcl(
        place=place,
        principal=principal,
        resource=texts["resource"],
        name=texts["name"],
        operations=listed(rule.get("operations"), str),
        pattern=cast("PatternType", texts["pattern"]),
        host=texts["host"],
        permission=cast("Permission", texts["permission"]),
    )


def _rule_property(index: int) -> Callable[[FieldPath], str]:
    def property_of(path: FieldPath) -> str:
        match path:
            case ("principal",):
                return "principal"
            case (("operations" | "host" | "permission" | "pattern") as field, *_):
                return f"rules[{index}].{field}"
            case (str(), *_):
                return f"rules[{index}].name"  # a topology writes the name under the kind: `topic: orders`
            case _:
                return f"rules[{index}]"

    return property_of


def _named(inputs: Mapping[str, Any]) -> object:
    return inputs.get("principal")


DESCRIPTOR = KindDescriptor(
    name="Access",
    order=40,
    inputs=INPUTS,
    outputs=OUTPUTS,
    make=AccessKind,
    desired=desired,
    reviewed=Reviewed("access", named=_named),
    section="acls",
    part=part,
    importer=IMPORTER,
    needs=(Needs("Describe, Alter"),),
)
