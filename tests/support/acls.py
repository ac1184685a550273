"""ACLs as Kafka's own client makes them, for tests that do not use ours."""

from __future__ import annotations

import re

from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    ResourcePatternType,
    ResourceType,
)

_TYPES = {"cluster": ResourceType.BROKER, "topic": ResourceType.TOPIC, "group": ResourceType.GROUP}


def allowed(principal: str, operation: str, resource: str, name: str, *, is_prefix: bool = False) -> AclBinding:
    """An ACL that allows an operation, by the names of the language: `User:app`, `AlterConfigs`, `topic`."""
    pattern = ResourcePatternType.PREFIXED if is_prefix else ResourcePatternType.LITERAL
    code = AclOperation[re.sub(r"(?<!^)(?=[A-Z])", "_", operation).upper()]
    return AclBinding(_TYPES[resource], name, pattern, principal, "*", code, AclPermissionType.ALLOW)


def all_on(resource: str, name: str) -> AclBindingFilter:
    """A filter for every ACL that names this resource literally."""
    pattern = ResourcePatternType.LITERAL
    return AclBindingFilter(_TYPES[resource], name, pattern, None, None, AclOperation.ANY, AclPermissionType.ANY)
