"""Values and wordings that several sections of the language share."""

from __future__ import annotations

from typing import Any

from ..kafka.acls import OPERATIONS, RESOURCE_FIELDS
from ..kafka.names import PRINCIPAL_PATTERN
from .alternatives import OneOf
from .fields import Choice, Text
from .structures import ListOf, MapOf

KEY_TYPES = ("none", "string", "int", "long", "uuid", "json", "avro", "bytes")
ACL_RESOURCES = RESOURCE_FIELDS
ACL_OPERATIONS = tuple(OPERATIONS)

TEXT = Text()
PRINCIPAL = Text("a principal", PRINCIPAL_PATTERN, "User:shop-checkout")


def _one_principal(principal: str) -> tuple[str, ...]:
    return (principal,)


def _dump_principals(principals: tuple[str, ...]) -> Any:
    return principals[0] if len(principals) == 1 else list(principals)


PRINCIPALS = OneOf(
    PRINCIPAL,
    ListOf(PRINCIPAL, at_least=1, noun="principal", distinct=True),
    _one_principal,
    dump_as=_dump_principals,
)
PRINCIPALS_DOC = "The principal it connects as; a list while credentials rotate, each with the same access."
TOPIC_NAME = Text("a topic's name")
PATH = Text("a path relative to this file", r"[^\x00]*\S[^\x00]*", "schemas/order.schema.json")
OWNER_DOC = "The team that owns it."
RULE_ID = r"KT[0-9]{3}|[A-Z][A-Z0-9]*-?[0-9]+"
RULE_ID_EXPECTED = "a rule's id, capital letters and then a number, such as KT101, ACME1 or SHOP-1"
IGNORE = MapOf(Text("a reason"), RULE_ID, RULE_ID_EXPECTED)
IGNORE_DOC = "Rules to suppress here, each with a reason."
DELIVERY = Choice(("at-most-once", "at-least-once", "exactly-once"))
DELETION = Choice(("protected", "allowed", "force"))
