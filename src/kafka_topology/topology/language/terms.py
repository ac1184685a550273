"""Values and wordings that several sections of the language share."""

from __future__ import annotations

from ..kafka.acls import OPERATIONS, RESOURCE_FIELDS
from .fields import Choice, Text
from .structures import MapOf

KEY_TYPES = ("none", "string", "int", "long", "uuid", "json", "avro", "bytes")
ACL_RESOURCES = RESOURCE_FIELDS
ACL_OPERATIONS = tuple(OPERATIONS)

TEXT = Text()
PRINCIPAL = Text("a principal", r"[A-Za-z][A-Za-z0-9]*:.+", "User:shop-checkout")
TOPIC_NAME = Text("a topic's name")
PATH = Text("a path relative to this file", r"[^\x00]*\S[^\x00]*", "schemas/order.schema.json")
OWNER_DOC = "The team that owns it."
RULE_ID = r"KT[0-9]{3}|[A-Z][A-Z0-9]*-?[0-9]+"
RULE_ID_EXPECTED = "a rule's id, capital letters and then a number, such as KT101, ACME1 or SHOP-1"
IGNORE = MapOf(Text("a reason"), RULE_ID, RULE_ID_EXPECTED)
IGNORE_DOC = "Rules to suppress here, each with a reason."
DELIVERY = Choice(("at-most-once", "at-least-once", "exactly-once"))
DELETION = Choice(("protected", "allowed", "force"))
