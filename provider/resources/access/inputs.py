"""The inputs of an `Access`: what is accepted, what is refused in the preview, and what a change is.

A rule names one resource and several operations; Kafka stores one ACL for each operation. Rules are
kept in one order, each resource once, so that only a change of access is a change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast, get_args

from ..topology.model import PatternType, Permission
from .changes import Checked, CheckFailure, PropertyChange, unknown_inputs
from .properties import UNKNOWN, Secret, has_secret, has_unknown, reveal
from .rule_changes import rule_changes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .properties import Properties, Value

INPUTS: Final = ("principal", "rules")
OUTPUTS: Final = (*INPUTS, "undeclared")
RULE_FIELDS: Final = ("resource", "name", "pattern", "operations", "host", "permission")
RESOURCES: Final = ("cluster", "topic", "group", "transactional-id", "delegation-token", "user")
OPERATIONS: Final = (
    "All",
    "Alter",
    "AlterConfigs",
    "ClusterAction",
    "Create",
    "CreateTokens",
    "Delete",
    "Describe",
    "DescribeConfigs",
    "DescribeTokens",
    "IdempotentWrite",
    "Read",
    "TwoPhaseCommit",
    "Write",
)
CLUSTER_NAME: Final = "kafka-cluster"
# What a broker without an authorizer answers: it has no access rules.
NO_AUTHORIZER: Final = "SecurityDisabled"


@dataclass(frozen=True, slots=True, order=True)
class Acl:
    """One operation of one principal on one resource, as Kafka stores it."""

    principal: str
    resource: str
    name: str
    operation: str
    pattern: str = "literal"
    host: str = "*"
    permission: str = "allow"

    def __str__(self) -> str:
        name = f"{self.name}*" if self.pattern == "prefixed" else self.name
        host = f" from {self.host}" if self.host != "*" else ""
        return f"{self.permission} {self.operation} on {self.resource} '{name}'{host}"


@dataclass(frozen=True, slots=True)
class DeclaredAccess:
    principal: str
    acls: frozenset[Acl]


def parse(inputs: Properties) -> DeclaredAccess:
    """The declaration in inputs that `check` has accepted and in which nothing is unknown."""
    principal = str(reveal(inputs["principal"]))
    return DeclaredAccess(principal, frozenset(_acls(principal, reveal(inputs.get("rules")))))


def _acls(principal: str, rules: Value) -> Iterator[Acl]:
    for rule in cast("list[dict[str, Value]]", rules or []):
        for operation in cast("list[str]", rule["operations"]):
            yield Acl(
                principal,
                str(rule["resource"]),
                str(rule["name"]),
                operation,
                str(rule["pattern"]),
                str(rule["host"]),
                str(rule["permission"]),
            )


def as_rules(acls: Iterable[Acl]) -> list[Value]:
    """The rules that stand for these ACLs, in their one order."""
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


def check(resource_name: str, old: Properties, new: Properties, owned: tuple[str, ...] | None) -> Checked:
    inputs = {key: value for key, value in new.items() if reveal(value) is not None}
    inputs.setdefault("principal", resource_name)
    rules = _with_defaults(reveal(inputs.get("rules")))
    principal = reveal(inputs["principal"])
    failures = [
        *unknown_inputs(inputs, INPUTS),
        *_wrong_principal(principal, owned),
        *_wrong_rules(rules),
        *_other_principal(reveal(old.get("principal")), principal),
    ]
    if not failures and not has_unknown(rules):
        rules = as_rules(_acls("", rules))
    if "rules" in inputs:
        inputs["rules"] = Secret(rules) if has_secret(inputs["rules"]) else rules
    return Checked(inputs, tuple(failures))


def diff(old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
    """What changes from one set of inputs to the next, ACL by ACL."""
    return tuple(rule_changes(reveal(old.get("rules")), reveal(new.get("rules"))))


def why_outside(principal: str, owned: tuple[str, ...] | None) -> str | None:
    """Why the access of this principal must not be touched, or None when it may be."""
    if owned is None or principal.startswith(owned):
        return None
    return (
        f"'{principal}' is outside the ownership ({', '.join(owned) or 'nothing'}): add its prefix to the "
        "ownership's principals, or manage it where it belongs."
    )


def _with_defaults(rules: Value) -> Value:
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
    yield from _wrong_choice(f"{path}.pattern", rule.get("pattern"), get_args(PatternType))
    yield from _wrong_choice(f"{path}.permission", rule.get("permission"), get_args(Permission))
    for text in ("name", "host"):
        value = rule.get(text)
        if value is not UNKNOWN and not (isinstance(value, str) and value):
            yield CheckFailure(f"{path}.{text}", f"'{text}' is missing: give text.")
    if resource == "cluster" and rule.get("name") not in {CLUSTER_NAME, UNKNOWN}:
        yield CheckFailure(f"{path}.name", f"{rule.get('name')!r} is not the cluster's name: it is '{CLUSTER_NAME}'.")
    operations = rule.get("operations")
    if operations is UNKNOWN:
        return
    if not isinstance(operations, list) or not operations:
        yield CheckFailure(f"{path}.operations", f"give a list of operations: {', '.join(OPERATIONS)}.")
        return
    for at, operation in enumerate(operations):
        yield from _wrong_choice(f"{path}.operations[{at}]", operation, OPERATIONS)


def _wrong_choice(path: str, value: Value, choices: tuple[str, ...]) -> Iterator[CheckFailure]:
    if value is not UNKNOWN and value not in choices:
        yield CheckFailure(path, f"{value!r} is not one of {', '.join(choices)}.")
