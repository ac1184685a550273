"""Limits `Access` to the provider's ownership and its grants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_topology.provider.plugin.properties import has_unknown
from kafka_topology.topology.model.grants import SECTIONS, Allowance, is_inside, needed_grant, owned_prefixes

from ..changes import CheckFailure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kafka_topology.cluster.live.access import Acl
    from kafka_topology.provider.config.settings import Owned
    from kafka_topology.provider.plugin.properties import Value


def why_not_allowed(principal: str, acls: Iterable[Acl], owned: Owned) -> str | None:
    """Why these ACLs must not be created, or None if they may be."""
    allowances = map(allowance_of, sorted(acls))
    outside = next((allowed for allowed in allowances if not is_inside(owned, allowed)), None)
    return f"{principal}: {_reason(outside, owned)}" if outside is not None else None


def allowance_of(acl: Acl) -> Allowance:
    is_prefix, is_denial = acl.pattern == "prefixed", acl.permission == "deny"
    return Allowance(acl.resource, acl.name, acl.operation, is_prefix, is_denial)


def rules_outside(rules: Value, owned: Owned) -> Iterator[CheckFailure]:
    """Each rule that allows too much. Unknown values are checked when they are applied."""
    for index, rule in enumerate(rules if isinstance(rules, list) else ()):
        if not isinstance(rule, dict) or has_unknown(rule):
            continue
        operations = rule.get("operations")
        for at, operation in enumerate(operations if isinstance(operations, list) else ()):
            allowed = Allowance(
                str(rule.get("resource")),
                str(rule.get("name")),
                str(operation),
                rule.get("pattern") == "prefixed",
                rule.get("permission") == "deny",
            )
            if allowed.resource in SECTIONS and not is_inside(owned, allowed):
                # Grants on the cluster name operations, other grants name resources: one failure for each of these.
                on_cluster = allowed.resource == "cluster"
                yield CheckFailure(
                    f"rules[{index}].operations[{at}]" if on_cluster else f"rules[{index}].name",
                    _reason(allowed, owned),
                )
                if not on_cluster:
                    break


def _reason(allowed: Allowance, owned: Owned) -> str:
    what = allowed.resource.replace("-", " ")
    if allowed.resource == "cluster":
        said = f"{allowed.operation} on the cluster is not granted ({_listed(owned.grants.cluster)})"
    elif allowed.is_wildcard:
        said = f"{allowed.operation} on every {what} ('*') reaches beyond the ownership"
    else:
        prefixes = _listed(owned_prefixes(owned, allowed.resource) or ())
        shown = f"{allowed.name}*" if allowed.is_prefix else allowed.name
        said = f"{allowed.operation} on {what} '{shown}' is outside the ownership ({prefixes})"
    return (
        f"{said}: remove it, or allow it by adding {needed_grant(allowed)} to 'grants' of the ownership. "
        "Access to what others own needs such a grant."
    )


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "nothing"
