"""The words of Kafka's ACLs: resource types, operations, patterns and permissions, with Kafka's numbers for them.

It imports nothing, so everybody may import it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

# In the order in which derived access is listed.
RESOURCES: Final = {
    "cluster": 4,
    "topic": 2,
    "group": 3,
    "transactional-id": 5,
    "delegation-token": 6,
    "user": 7,
}
# The fields of an entry under `acls` in a file, and the resource type that each names.
RESOURCE_FIELDS: Final = {
    "topic": "topic",
    "group": "group",
    "transactionalId": "transactional-id",
    "cluster": "cluster",
    "user": "user",
    "delegationToken": "delegation-token",
}
OPERATIONS: Final = {
    "All": 2,
    "Read": 3,
    "Write": 4,
    "Create": 5,
    "Delete": 6,
    "Alter": 7,
    "Describe": 8,
    "ClusterAction": 9,
    "DescribeConfigs": 10,
    "AlterConfigs": 11,
    "IdempotentWrite": 12,
    "CreateTokens": 13,
    "DescribeTokens": 14,
    "TwoPhaseCommit": 15,
}
# The operations that requests ask for, by resource type: `AclEntry.supportedOperations` of Kafka 4.2.
SUPPORTED: Final = {
    "cluster": (
        "All",
        "Alter",
        "AlterConfigs",
        "ClusterAction",
        "Create",
        "Describe",
        "DescribeConfigs",
        "IdempotentWrite",
    ),
    "topic": ("All", "Alter", "AlterConfigs", "Create", "Delete", "Describe", "DescribeConfigs", "Read", "Write"),
    "group": ("All", "AlterConfigs", "Delete", "Describe", "DescribeConfigs", "Read"),
    "transactional-id": ("All", "Describe", "TwoPhaseCommit", "Write"),
    "delegation-token": ("All", "Describe"),
    "user": ("All", "CreateTokens", "DescribeTokens"),
}
PATTERNS: Final = {"literal": 3, "prefixed": 4}
PERMISSIONS: Final = {"allow": 3, "deny": 2}
CLUSTER_NAME: Final = "kafka-cluster"


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
