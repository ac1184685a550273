from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import Topology
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.kinds import NAMED_KINDS
from kafka_topology.topology.model.places import Place
from kafka_topology.validators.engine.examples import OWNED_PRINCIPALS, OWNED_SHOP
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import roles

DOCS = """\
# KT014: outside-ownership

A topic, group or principal is outside the declared ownership.

`ownership` promises that this topology touches nothing else. A resource outside it would never be applied, or would
be taken from the team that owns it. You can read and write topics of others without declaring them: a grant allows
that, see KT616. A quota for a client id alone applies to every principal that uses the id; the id must start like one
of the own users.

Fix: Rename the resource, or add its prefix to `ownership`.
"""

Claim = tuple[str, str, Place, str]  # what it is, its name, its place, and its resource


def check(context: Context) -> Iterator[Problem]:
    owned = context.topology.ownership
    for field, prefixes, claims in (
        ("topics", owned.topics, _topics),
        ("groups", owned.groups, _groups),
        ("principals", owned.principals, _principals),
    ):
        if prefixes is None:
            continue
        expected = " or ".join(f"`{prefix}`" for prefix in prefixes) or "no name at all"
        for what, name, place, resource in claims(context, prefixes):
            yield Problem(
                f"{resource}: {what} {name} is outside the declared ownership; expected a name that starts"
                f" with {expected}",
                place,
                resource,
                f"rename it, remove it, or add its prefix to ownership.{field}",
                (Related(owned.place(field).location, "the ownership is declared here"),),
            )


def _topics(context: Context, prefixes: tuple[str, ...]) -> Iterator[Claim]:
    for name, topic in context.topology.topics.items():
        if not name.startswith(prefixes):
            yield "topic", name, topic.name_place(), name


def _groups(context: Context, prefixes: tuple[str, ...]) -> Iterator[Claim]:
    for kind in NAMED_KINDS:
        for name, declared in kind.of(context.topology).items() if kind.is_group else ():
            if not name.startswith(prefixes):
                yield kind.title, name, declared.name_place(), name


def _principals(context: Context, prefixes: tuple[str, ...]) -> Iterator[Claim]:
    topology = context.topology
    used = ((name, client, principal) for name, client in roles(topology) for principal in client.principals)
    for name, client, principal in used:
        if not principal.startswith(prefixes):
            yield "principal", principal, client.principal_place(principal), name
    for acl in topology.acls:
        if not acl.principal.startswith(prefixes):
            yield "principal", acl.principal, acl.place("principal"), acl.principal
    for kind in NAMED_KINDS:
        for name, declared in kind.of(topology).items() if kind.is_principal else ():
            if not f"User:{name}".startswith(prefixes):
                yield "principal", f"User:{name}", declared.name_place(), name
    yield from _quotas(topology, prefixes)


def _quotas(topology: Topology, prefixes: tuple[str, ...]) -> Iterator[Claim]:
    for quota in topology.quotas:
        if quota.user is not None and not f"User:{quota.user}".startswith(prefixes):
            yield "principal", f"User:{quota.user}", quota.place("user"), quota.user
        if quota.user is None and quota.client_id is not None and not _is_own_client(quota.client_id, prefixes):
            yield "client id", quota.client_id, quota.place("clientId"), quota.client_id


def _is_own_client(client_id: str, prefixes: tuple[str, ...]) -> bool:
    """Client ids belong to nobody, so only one that starts like an own user counts as own."""
    return f"User:{client_id}".startswith(prefixes)


GOOD = (OWNED_SHOP + "users:\n  shop-billing: {mechanism: SCRAM-SHA-512, password: {secret: billing}}\n",)
BAD = (
    Bad(
        """\
version: 1
ownership: {topics: ["shop."]}
topics:
  bank.payments:
    partitions: 6
    replication: 3
""",
        line=4,
        column=3,
    ),
    Bad(
        """\
version: 1
ownership: {groups: ["shop."]}
topics:
  shop.orders: {partitions: 6, replication: 3}
consumerGroups:
  billing:
    topics: [shop.orders]
""",
        line=6,
        column=3,
    ),
    Bad(
        """\
version: 1
ownership: {groups: ["shop."]}
topics:
  shop.orders: {partitions: 6, replication: 3}
shareGroups:
  packers:
    topics: [shop.orders]
""",
        line=6,
        column=3,
    ),
    Bad(
        OWNED_PRINCIPALS
        + """\
topics:
  shop.orders: {partitions: 6, replication: 3}
producers:
  checkout: {principal: "User:bank-checkout", topics: [shop.orders]}
""",
        line=6,
        column=25,
    ),
    Bad(
        OWNED_PRINCIPALS
        + 'acls:\n  - {principal: "User:audit", topic: shop., pattern: prefixed, operations: [Read]}\n',
        line=4,
        column=17,
    ),
    Bad(
        OWNED_PRINCIPALS + "users:\n  audit:\n    mechanism: SCRAM-SHA-512\n    password: {secret: audit}\n",
        line=4,
        column=3,
    ),
    Bad(OWNED_PRINCIPALS + "quotas:\n  - {user: audit, producerByteRate: 1MB/s}\n", line=4, column=12),
    Bad(OWNED_PRINCIPALS + "quotas:\n  - {clientId: default, requestPercentage: 1}\n", line=4, column=16),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R15",))
