"""ACLs of a cluster for an import."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Final

from kafka_topology.cluster.live.access import Acl
from kafka_topology.cluster.outcomes import Failure
from kafka_topology.topology.kafka.acls import RESOURCE_FIELDS
from kafka_topology.topology.model.grants import SECTIONS, is_inside
from kafka_topology.topology.model.words import quoted

from ..importer import Importer, Plain, why_unsayable, why_unsayable_principal
from .inputs import NO_AUTHORIZER, as_rules, why_outside
from .limits import allowance_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafka_topology.cluster.cluster import Cluster
    from kafka_topology.provider.config.settings import Owned

    from ..importer import Reading

_FIELDS: Final = {resource: field for field, resource in RESOURCE_FIELDS.items()}
_DEFAULTS: Final = {"pattern": "literal", "host": "*", "permission": "allow"}


def take(cluster: Cluster, owned: Owned, reading: Reading) -> frozenset[Acl]:
    live = cluster.security.access.describe_acls()
    if isinstance(live, Failure) and NO_AUTHORIZER in live.message:
        return frozenset()
    every: frozenset[Acl] = reading.value(live, frozenset())
    return frozenset(acl for acl in every if why_outside(acl.principal, owned.principals) is None)


def sayable(found: frozenset[Acl]) -> tuple[frozenset[Acl], tuple[str, ...]]:
    odd = {acl: why for acl in found if (why := _why_unsayable(acl))}
    notes = (f"ACL left out, because {odd[acl]}: {quoted(str(acl))} of {quoted(acl.principal)}" for acl in sorted(odd))
    return found - odd.keys(), tuple(notes)


def _why_unsayable(acl: Acl) -> str | None:
    if why := why_unsayable_principal(acl.principal):
        return f"its principal {why}"
    why = why_unsayable(acl.name)
    return f"its name {why}" if why else None


def sections(found: frozenset[Acl]) -> Mapping[str, Mapping[str, object]]:
    written = []
    for principal, held in groupby(sorted(found), key=lambda acl: acl.principal):
        for rule in as_rules(held):
            assert isinstance(rule, dict)  # noqa: S101 - every rule is a map
            entry: Plain = {"principal": principal, _FIELDS[str(rule["resource"])]: rule["name"]}
            entry |= {name: rule[name] for name, default in _DEFAULTS.items() if rule[name] != default}
            written.append({**entry, "operations": rule["operations"]})
    return {"access.yaml": {"acls": written}}


def listed(found: frozenset[Acl]) -> Iterator[tuple[str, str]]:
    return ((principal, principal) for principal in sorted({acl.principal for acl in found}))


def ownership(acls: frozenset[Acl], owned: Owned) -> Plain:
    """The ownership, with grants for today's access outside it, so a reader of the file can see and remove them."""
    sections = {"topics": owned.topics, "groups": owned.groups, "principals": owned.principals}
    written: Plain = {name: list(prefixes) for name, prefixes in sections.items() if prefixes is not None}
    grants: dict[str, dict[str, None]] = {}
    for acl in sorted(acls):
        if not is_inside(owned, allowance_of(acl)):
            granted = acl.operation if acl.resource == "cluster" else acl.name
            grants.setdefault(SECTIONS[acl.resource], {})[granted] = None
    if grants:
        written["grants"] = {name: list(grants[name]) for name in SECTIONS.values() if name in grants}
    return written


def names(found: frozenset[Acl]) -> Iterator[str]:
    return (acl.principal for acl in found)


IMPORTER: Importer[frozenset[Acl]] = Importer(
    "access",
    frozenset(),
    take,
    sections,
    listed,
    sayable,
    ownership=ownership,
    limited_by="principals",
    names=names,
    about="all ACLs of a principal, as `acls`",
)
