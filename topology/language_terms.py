"""Words and small values that several sections of the language share."""

from __future__ import annotations

from .fields import Choice, Text
from .structures import MapOf

# Partitioners that place a key by its bytes alone; see docs/partitioners.md.
HASH_PARTITIONERS = (
    "murmur2",
    "librdkafka-consistent",
    "librdkafka-consistent-random",
    "librdkafka-murmur2",
    "librdkafka-murmur2-random",
    "librdkafka-fnv1a",
    "librdkafka-fnv1a-random",
    "sarama-hash",
    "sarama-reference-hash",
)
# Partitioners that do not look at the key, or that nobody can recompute without more.
KEYLESS_PARTITIONERS = ("round-robin", "sticky", "random")
OPAQUE_PARTITIONERS = ("explicit", "custom")
PARTITIONERS = HASH_PARTITIONERS + KEYLESS_PARTITIONERS + OPAQUE_PARTITIONERS

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
