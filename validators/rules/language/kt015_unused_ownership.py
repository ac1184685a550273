from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from kafka_topology.topology.kafka.access import declared_grants, implied_grants
from kafka_topology.topology.model.declared import Ownership, Topology
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.grants import EVERYTHING, SECTIONS
from kafka_topology.topology.model.kinds import NAMED_KINDS
from kafka_topology.validators.engine.examples import OWNED_SHOP
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import roles

DOCS = """\
# KT015: unused-ownership

An entry of the ownership matches nothing that the topology declares.

A misspelled prefix protects nothing, and an audit looks for undeclared resources in the wrong place and finds none. A
grant that nothing needs still allows access outside the ownership. An entry that matches in any environment is used.

Fix: Correct the entry, or remove it. To keep it for later, suppress the rule on its line and say why.
"""
Entry = tuple[tuple[str | int, ...], str, str]  # its path, what it is for, and the entry
_OWNED = {"topics": "topic", "groups": "group, share group or streams application", "principals": "principal"}
_GRANTED = {
    "topics": "topics",
    "groups": "groups",
    "transactionalIds": "transactional_ids",
    "users": "users",
    "delegationTokens": "delegation_tokens",
    "cluster": "cluster",
}


def check(context: Context) -> Iterator[Problem]:
    owned = context.topology.ownership
    left = [*_entries(owned)]
    # Most entries match a name; only what is left needs the ACLs, which take longer to derive.
    for names in (_declared, _allowed):
        left = _unused(left, names, context.topology)
    for other in context.topology.elsewhere() if left else ():
        for names in (_declared, _allowed):
            left = _unused(left, names, other)
    for (*sections, index), what, entry in left:
        yield Problem(
            f"ownership.{'.'.join(map(str, sections))}: no {what} matches {entry}; expected at least one",
            owned.place(*sections, index),
            "ownership",
            "correct the entry, or remove it",
        )


def _unused(left: list[Entry], names: Callable[[Topology], dict[str, set[str]]], topology: Topology) -> list[Entry]:
    used = names(topology) if left else {}
    return [each for each in left if not _is_used(each, used)]


def _entries(owned: Ownership) -> Iterator[Entry]:
    """Each prefix and grant with its path and what it is for."""
    for field, what in _OWNED.items():
        for index, prefix in enumerate(getattr(owned, field) or ()):
            yield (field, index), what, prefix
    for field, attribute in _GRANTED.items():
        for index, prefix in enumerate(getattr(owned.grants, attribute)):
            yield ("grants", field, index), "access", prefix


def _is_used(each: Entry, used: Mapping[str, set[str]]) -> bool:
    (*sections, _), _, entry = each
    names = used.get(str(sections[-1]), set())
    if "grants" in sections and entry in (EVERYTHING, "All"):
        return bool(names)
    return any(name.startswith(entry) for name in names)


def _declared(topology: Topology) -> dict[str, set[str]]:
    """The names that the topology declares and uses, by the fields of the ownership and its grants."""
    principals = {principal for _, role in roles(topology) for principal in role.principals}
    principals |= {f"User:{name}" for kind in NAMED_KINDS if kind.is_principal for name in kind.of(topology)}
    principals |= {f"User:{quota.user}" for quota in topology.quotas if quota.user is not None}
    used = chain(
        *(producer.topics for producer in topology.producers.values()),
        *((*group.topics, *group.assign) for group in topology.consumer_groups.values()),
        *(group.topics for group in topology.share_groups.values()),
        *((*application.reads, *application.writes) for application in topology.streams.values()),
    )
    # Kafka Streams names its internal topics after the application.
    internal = (f"{application}-" for application in topology.streams)
    return {
        "topics": {*topology.topics, *used, *internal},
        "groups": {name for kind in NAMED_KINDS if kind.is_group for name in kind.of(topology)},
        "principals": principals,
    }


def _allowed(topology: Topology) -> dict[str, set[str]]:
    """The names in ACLs, derived and declared."""
    names: dict[str, set[str]] = {"principals": set()}
    for acl in chain(implied_grants(topology), declared_grants(topology)):
        names["principals"].add(acl.principal)
        named = acl.operation if acl.resource == "cluster" else acl.name
        names.setdefault(SECTIONS[acl.resource], set()).add(named)
    return names


GOOD = (
    OWNED_SHOP,
    """\
version: 1
ownership:
  topics: ["shop.", "test."]
topics:
  shop.orders: {partitions: 6, replication: 3}
environments:
  dev: {topics: {test.orders: {partitions: 1, replication: 1}}}
""",
)
BAD = (
    Bad(
        """\
version: 1
ownership:
  topics: ["shop.", "shpo."]
topics:
  shop.orders: {partitions: 6, replication: 3}
""",
        line=3,
        column=21,
    ),
    Bad(
        """\
version: 1
ownership:
  principals: ["User:shop-"]
  grants:
    topics: [bank.payments, bank.refunds]
acls:
  - {principal: "User:shop-billing", topic: bank.payments, operations: [Read]}
""",
        line=5,
        column=29,
    ),
)

RULE = rule(DOCS, Severity.ADVICE, check, GOOD, BAD)
