from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from kafka_topology.topology.kafka.access import Grant, declared_grants, implied_grants
from kafka_topology.topology.model.declared import ConsumerGroup, Ownership, ShareGroup, StreamsApplication, Topology
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.grants import (
    SECTIONS,
    Allowance,
    is_declared,
    is_inside,
    needed_grant,
    owned_prefixes,
)
from kafka_topology.topology.model.places import Location
from kafka_topology.validators.engine.examples import OWNED_PRINCIPALS, OWNED_TOPICS
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import shown

DOCS = """\
# KT616: grants-outside-ownership

A principal is allowed something outside the ownership, and no grant allows it.

`ownership` promises that this topology touches nothing else. An ACL that allows a principal everything on the cluster,
the wildcard `*`, or topics of another team gives away what this topology does not own. The provider refuses such ACLs
unless `ownership.grants` names them. Denials and IdempotentWrite on the cluster need no grant. Transactional ids are
inside the ownership if they start with an owned prefix of groups or topics, or with the name in an owned principal:
`User:shop-` owns `shop-checkout-1`. They are limited only if `groups` or `principals` is declared.

Fix: Remove the ACL, narrow it, or add the prefix to `ownership.grants`: `topics`, `groups`, `transactionalIds`,
`users` and `delegationTokens` take prefixes and `"*"` for the wildcard; `cluster` takes operations.
"""


def check(context: Context) -> Iterator[Problem]:
    topology, owned = context.topology, context.topology.ownership
    if not is_declared(owned):
        return
    outside: dict[tuple[str, ...], list[Grant]] = {}
    for grant in chain(implied_grants(_reaching_out(topology)), declared_grants(topology)):
        allowed = _allowance(grant)
        # One finding per operation on the cluster, and per name elsewhere.
        on_cluster = grant.resource == "cluster"
        key = (grant.principal, grant.resource, grant.operation if on_cluster else grant.name, grant.pattern)
        if not is_inside(owned, allowed) and not _is_declared_here(topology, grant):
            outside.setdefault(key, []).append(grant)
    for grants in outside.values():
        grant, allowed = grants[0], _allowance(grants[0])
        section = SECTIONS[grant.resource]
        operations = ", ".join(dict.fromkeys(each.operation for each in grants))
        yield Problem(
            f"{grant.principal}: {operations} on {_what(grant)} is outside the declared ownership; expected"
            f" {_expected(owned, allowed)}",
            grant.place,
            grant.principal,
            f"remove it, or add {needed_grant(allowed)} to ownership.grants",
            (Related(_ownership_place(owned, section), "the ownership is declared here"),),
        )


def _allowance(grant: Grant) -> Allowance:
    return Allowance(
        grant.resource, grant.name, grant.operation, grant.pattern == "prefixed", grant.permission == "deny"
    )


def _is_declared_here(topology: Topology, grant: Grant) -> bool:
    """KT014 reports a topic or group of this file that is outside the ownership, once."""
    groups = (topology.consumer_groups, topology.share_groups, topology.streams)
    declared = {"topic": (topology.topics,), "group": groups}
    return any(grant.name in names for names in declared.get(grant.resource, ()))


def _reaching_out(topology: Topology) -> Topology:
    """Without the roles that stay inside the ownership: deriving access for thousands of them would take seconds."""
    topics, groups = topology.ownership.topics, topology.ownership.groups

    def outside(names: tuple[str, ...], prefixes: tuple[str, ...] | None) -> bool:
        return prefixes is not None and not all(name.startswith(prefixes) for name in names)

    def group_reaches(group: ConsumerGroup) -> bool:
        return outside((*group.topics, *group.assign), topics) or outside((group.name,), groups)

    def share_group_reaches(group: ShareGroup) -> bool:
        return outside(group.topics, topics) or outside((group.name,), groups)

    def streams_reach(app: StreamsApplication) -> bool:
        own = app.application_id
        is_transactional = app.delivery == "exactly-once"
        used = (*app.reads, *app.writes, own)
        return is_transactional or outside(used, topics) or outside((own,), groups)

    return replace(
        topology,
        producers={
            name: producer
            for name, producer in topology.producers.items()
            if producer.transactional_id is not None or outside(producer.topics, topics)
        },
        consumer_groups={name: group for name, group in topology.consumer_groups.items() if group_reaches(group)},
        share_groups={name: group for name, group in topology.share_groups.items() if share_group_reaches(group)},
        streams={name: app for name, app in topology.streams.items() if streams_reach(app)},
    )


def _what(grant: Grant) -> str:
    if grant.name == "*" and grant.pattern == "literal":
        return f"every {grant.resource.replace('-', ' ')} (*)"
    return shown(grant.resource, grant.name, grant.pattern)


def _expected(owned: Ownership, allowed: Allowance) -> str:
    if allowed.resource == "cluster":
        granted = " or ".join(owned.grants.cluster)
        return f"only {granted} on the cluster" if granted else "nothing on the cluster but IdempotentWrite"
    prefixes = owned_prefixes(owned, allowed.resource)
    if prefixes is None:
        return "a name or a prefix instead of the wildcard"
    return "a name that starts with " + (" or ".join(f"`{prefix}`" for prefix in prefixes) or "no name at all")


def _ownership_place(owned: Ownership, section: str) -> Location:
    return owned.place(section).location if section in {"topics", "groups"} else owned.location


GOOD = (
    """\
version: 1
ownership:
  topics: [shop.]
  groups: [shop.]
  principals: ["User:shop-"]
  grants: {topics: [bank.payments], cluster: [Describe]}
topics:
  shop.orders: {partitions: 6, replication: 3}
consumerGroups:
  shop.billing: {principal: "User:shop-billing", topics: [shop.orders, bank.payments]}
acls:
  - {principal: "User:shop-admin", cluster: kafka-cluster, operations: [Describe, IdempotentWrite]}
  - {principal: "User:shop-admin", topic: "*", operations: [Write], permission: deny}
""",
)
BAD = (
    Bad(
        OWNED_TOPICS
        + """\
topics:
  shop.orders: {partitions: 6, replication: 3}
consumerGroups:
  shop.billing: {principal: "User:shop-billing", topics: [shop.orders, bank.payments]}
""",
        line=6,
        column=72,
    ),
    Bad(
        OWNED_PRINCIPALS + 'acls:\n  - {principal: "User:shop-admin", cluster: kafka-cluster, operations: [All]}\n',
        line=4,
        column=73,
    ),
    Bad(
        OWNED_PRINCIPALS + 'acls:\n  - {principal: "User:shop-admin", topic: "*", operations: [Read]}\n',
        line=4,
        column=61,
    ),
    Bad(
        OWNED_TOPICS
        + """\
acls:
  - {principal: "User:shop-admin", topic: shop, pattern: prefixed, operations: [Read]}
""",
        line=4,
        column=81,
    ),
    Bad(
        """\
version: 1
ownership: {groups: [shop.], principals: ["User:shop-"]}
topics:
  shop.orders: {partitions: 6, replication: 3}
producers:
  checkout:
    principal: User:shop-checkout
    topics: [shop.orders]
    delivery: exactly-once
    transactionalId: bank-transfer-
""",
        line=10,
        column=22,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R15", "R33"))
