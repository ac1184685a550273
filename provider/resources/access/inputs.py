"""The inputs of `Access`: checks them in the preview, parses them, and finds the changes between two versions.

A rule names one resource and several operations; Kafka stores one ACL for each operation. Rules are
sorted and merged by resource, so only a change of access is a change of inputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from kafka_topology.provider.plugin.properties import UNKNOWN, Secret, has_secret, has_unknown, reveal
from kafka_topology.topology.kafka.acls import CLUSTER_NAME, OPERATIONS, PATTERNS, PERMISSIONS, RESOURCES, Acl

from ..changes import Checked, CheckFailure, PropertyChange, unknown_inputs
from ..input_checks import why_not_owned
from .changes import rule_changes
from .limits import rules_outside

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from kafka_topology.provider.config.settings import Owned
    from kafka_topology.provider.plugin.properties import Properties, Value

INPUTS: Final = ("principal", "rules")
OUTPUTS: Final = (*INPUTS, "undeclared")
RULE_FIELDS: Final = ("resource", "name", "pattern", "operations", "host", "permission")
# The answer of a broker without an authorizer, which has no ACLs.
NO_AUTHORIZER: Final = "SecurityDisabled"


@dataclass(frozen=True, slots=True)
class DeclaredAccess:
    principal: str
    acls: frozenset[Acl]


def parse(inputs: Properties) -> DeclaredAccess:
    """Parses inputs that `check` has accepted and that have no unknown values."""
    principal = str(reveal(inputs["principal"]))
    return DeclaredAccess(principal, frozenset(_acls(principal, reveal(inputs.get("rules")))))


def known(inputs: Properties) -> frozenset[Acl]:
    """The ACLs of the rules that have no unknown values."""
    rules = reveal(inputs.get("rules"))
    sure = [rule for rule in rules if not has_unknown(rule)] if isinstance(rules, list) else []
    return frozenset(_acls(str(reveal(inputs["principal"])), [*sure]))


def _acls(principal: str, rules: Value) -> Iterator[Acl]:
    # A state of another version, or of an import file, may have rules without their defaults.
    for rule in cast("list[dict[str, Value]]", with_defaults(rules) or []):
        for operation in cast("list[str]", rule.get("operations") or []):
            yield Acl(
                principal,
                str(rule.get("resource")),
                str(rule.get("name")),
                operation,
                str(rule["pattern"]),
                str(rule["host"]),
                str(rule["permission"]),
            )


def as_rules(acls: Iterable[Acl]) -> list[Value]:
    """The sorted rules for these ACLs."""
    operations: dict[tuple[str, ...], set[str]] = {}
    for acl in acls:
        key = (acl.resource, acl.name, acl.pattern, acl.permission, acl.host)
        operations.setdefault(key, set()).add(acl.operation)
    return [
        {
            "resource": resource,
            "name": name,
            "pattern": pattern,
            "operations": [*sorted(operations[resource, name, pattern, permission, host])],
            "host": host,
            "permission": permission,
        }
        for resource, name, pattern, permission, host in sorted(operations)
    ]


def check(resource_name: str, old: Properties, new: Properties, owned: Owned) -> Checked:
    inputs = {key: value for key, value in new.items() if reveal(value) is not None}
    inputs.setdefault("principal", resource_name)
    rules = with_defaults(reveal(inputs.get("rules")))
    principal = reveal(inputs["principal"])
    failures = [
        *unknown_inputs(inputs, INPUTS),
        *_wrong_principal(principal, owned.principals),
        *_wrong_rules(rules),
        *rules_outside(rules, owned),
        *_other_principal(reveal(old.get("principal")), principal),
    ]
    if not failures and not has_unknown(rules):
        rules = as_rules(_acls("", rules))
    if "rules" in inputs:
        inputs["rules"] = Secret(rules) if has_secret(inputs["rules"]) else rules
    return Checked(inputs, tuple(failures))


def diff(old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
    """The changes from one set of inputs to the next, ACL by ACL."""
    before, after = (with_defaults(reveal(side.get("rules"))) for side in (old, new))
    return tuple(rule_changes(before, after))


def why_outside(principal: str, owned: tuple[str, ...] | None) -> str | None:
    """Why the access of this principal must not be changed, or None if it may be."""
    return why_not_owned(f"'{principal}'", principal, owned, "the ownership's principals")


def with_defaults(rules: Value) -> Value:
    """The rules with all their fields. Values that are not rules stay unchanged."""
    if not isinstance(rules, list):
        return rules
    return [_rule_with_defaults(rule) if isinstance(rule, dict) else rule for rule in rules]


def _rule_with_defaults(rule: dict[str, Value]) -> dict[str, Value]:
    given = {key: value for key, value in rule.items() if value is not None}
    if given.get("resource") == "cluster":
        given.setdefault("name", CLUSTER_NAME)
    return {"pattern": "literal", "host": "*", "permission": "allow", **given}


def _wrong_principal(principal: Value, owned: tuple[str, ...] | None) -> Iterator[CheckFailure]:
    if principal is UNKNOWN:
        return
    kind, colon, name = principal.partition(":") if isinstance(principal, str) else ("", "", "")
    if not (kind and colon and name):
        yield CheckFailure("principal", f"{principal!r} is not a principal: write its type too, such as 'User:shop'.")
    elif reason := why_outside(str(principal), owned):
        yield CheckFailure("principal", reason)


def _other_principal(old: Value, new: Value) -> Iterator[CheckFailure]:
    if isinstance(old, str) and isinstance(new, str) and old != new:
        yield CheckFailure(
            "principal",
            f"the access of '{old}' cannot become that of '{new}': give the new principal a resource of its own, "
            "apply that, and then remove the old one.",
        )


def _wrong_rules(rules: Value) -> Iterator[CheckFailure]:
    if rules is UNKNOWN:
        return
    if not isinstance(rules, list) or not rules:
        yield CheckFailure("rules", "give a list of at least one rule, or remove the resource.")
        return
    for index, rule in enumerate(rules):
        if isinstance(rule, dict):
            yield from _wrong_rule(f"rules[{index}]", rule)
        elif rule is not UNKNOWN:
            yield CheckFailure(f"rules[{index}]", f"{rule!r} is not a rule: give {', '.join(RULE_FIELDS)}.")


def _wrong_rule(path: str, rule: dict[str, Value]) -> Iterator[CheckFailure]:
    for failure in unknown_inputs(rule, RULE_FIELDS):
        yield CheckFailure(f"{path}.{failure.property}", failure.reason)
    resource = rule.get("resource")
    yield from _wrong_choice(f"{path}.resource", resource, RESOURCES)
    yield from _wrong_choice(f"{path}.pattern", rule.get("pattern"), PATTERNS)
    yield from _wrong_choice(f"{path}.permission", rule.get("permission"), PERMISSIONS)
    for text in ("name", "host"):
        value = rule.get(text)
        if value is not UNKNOWN and not (isinstance(value, str) and value):
            yield CheckFailure(f"{path}.{text}", f"'{text}' is missing: give text.")
    if resource == "cluster" and rule.get("name") not in (CLUSTER_NAME, UNKNOWN):
        yield CheckFailure(f"{path}.name", f"{rule.get('name')!r} is not the cluster's name: it is '{CLUSTER_NAME}'.")
    operations = rule.get("operations")
    if operations is UNKNOWN:
        return
    if not isinstance(operations, list) or not operations:
        yield CheckFailure(f"{path}.operations", f"give a list of operations: {', '.join(OPERATIONS)}.")
        return
    for at, operation in enumerate(operations):
        yield from _wrong_choice(f"{path}.operations[{at}]", operation, OPERATIONS)


def _wrong_choice(path: str, value: Value, choices: Collection[str]) -> Iterator[CheckFailure]:
    if value is not UNKNOWN and value not in tuple(choices):
        yield CheckFailure(path, f"{value!r} is not one of {', '.join(choices)}.")
