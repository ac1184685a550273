from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import BILLING, ORDERS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT512: group-shared

Two applications use one consumer group.

A group's name is global in the cluster. Two applications in one group divide the partitions between them, so each sees
only part of the records, and each overwrites the offsets of the other. To both it looks like lost records. One group
belongs to one application, and so to one principal.

Fix: Give each application its own group.
"""


def check(context: Context) -> Iterator[Problem]:
    topology = context.topology
    for group in topology.consumer_groups.values():
        client = group.config.get("group.id")
        if client is not None and client != group.name:
            yield Problem(
                f"{group.name}: its client sets group.id to {client}, so it joins another group; expected {group.name}",
                group.place("config", "group.id"),
                group.name,
                "remove group.id from the config: the group's name is its id",
            )
        application = topology.streams.get(group.name)
        if application is not None:
            yield Problem(
                f"{group.name}: a consumer group and a streams application have this id, and Kafka Streams uses its"
                " application id as its group; expected different ids",
                group.place(),
                group.name,
                "rename the group that has no offsets yet",
                related=(Related(application.location, "the streams application"),),
            )
    yield from _other_principals(context)


def _other_principals(context: Context) -> Iterator[Problem]:
    topology = context.topology
    for acl in topology.acls:
        if acl.resource != "group" or acl.pattern != "literal" or acl.permission != "allow":
            continue
        if "Read" not in acl.operations and "All" not in acl.operations:
            continue  # describing or deleting a group is not using it
        user = topology.consumer_groups.get(acl.name) or topology.streams.get(acl.name)
        if user is None or user.principal is None or user.principal == acl.principal:
            continue
        yield Problem(
            f"{acl.name}: {acl.principal} may join and commit the group of {user.principal}; expected one principal",
            acl.place("principal"),
            acl.name,
            f"give {acl.principal} its own group, or grant only Describe",
            related=(Related(user.place("principal").location, f"the group belongs to {user.principal}"),),
        )


EXAMPLE = (
    ORDERS
    + """\
consumerGroups:
  billing: {principal: "User:billing", topics: [orders]}
acls:
  - {principal: "User:lag-monitor", group: billing, operations: [Describe]}
"""
)

GOOD = (EXAMPLE,)
BAD = (
    Bad(
        changed(
            EXAMPLE,
            {
                'principal: "User:lag-monitor"': 'principal: "User:audit"',
                "operations: [Describe]": "operations: [Read]",
            },
        ),
        line=7,
        column=17,
    ),
    Bad(ORDERS + BILLING + "streams:\n  billing:\n    reads: [orders]\n", line=5, column=3),
    Bad(ORDERS + "consumerGroups:\n  billing: {topics: [orders], config: {group.id: shop}}\n", line=5, column=50),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R21", "R15"))
