"""Words and small values that several sections of the language share."""

from __future__ import annotations

from .fields import Choice, Text
from .structures import MapOf

KEY_TYPES = ("none", "string", "int", "long", "uuid", "json", "avro", "bytes")
ACL_RESOURCES = {
    "topic": "topic",
    "group": "group",
    "transactionalId": "transactional-id",
    "cluster": "cluster",
    "user": "user",
    "delegationToken": "delegation-token",
}
ACL_OPERATIONS = (
    "All",
    "Read",
    "Write",
    "Create",
    "Delete",
    "Alter",
    "Describe",
    "ClusterAction",
    "DescribeConfigs",
    "AlterConfigs",
    "IdempotentWrite",
    "CreateTokens",
    "DescribeTokens",
    "TwoPhaseCommit",
)

TEXT = Text()
PRINCIPAL = Text("a principal", r"[A-Za-z][A-Za-z0-9]*:.+", "User:shop-checkout")
TOPIC_NAME = Text("a topic's name")
PATH = Text("a path relative to this file", r"[^\x00]*\S[^\x00]*", "schemas/order.schema.json")
OWNER_DOC = "The team that answers for it."
RULE_ID = r"KT[0-9]{3}|[A-Z][A-Z0-9]*-?[0-9]+"
IGNORE = MapOf(Text("a reason"), RULE_ID, "a rule's id such as KT306")
IGNORE_DOC = "Rules to silence here, each with the reason."
DELIVERY = Choice(("at-most-once", "at-least-once", "exactly-once"))
DELETION = Choice(("protected", "allowed", "force"))
