from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ..rule import Bad, Context, Problem, Rule


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
                " application id as its group; expected an id for each",
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
            continue  # to describe a group, or to delete it, is not to use it
        user = topology.consumer_groups.get(acl.name) or topology.streams.get(acl.name)
        if user is None or user.principal is None or user.principal == acl.principal:
            continue
        yield Problem(
            f"{acl.name}: {acl.principal} may join and commit the group of {user.principal}; expected one principal",
            acl.place("principal"),
            acl.name,
            f"give {acl.principal} a group of its own, or grant Describe only",
            related=(Related(user.place("principal").location, f"the group belongs to {user.principal}"),),
        )


RULE = Rule(
    id="KT512",
    name="group-shared",
    severity=Severity.ERROR,
    summary="Two applications use one consumer group.",
    why="""\
A group's name is global in the cluster. Two applications in one group share out the partitions between them, so each
sees a part of the records; and each commits offsets over the other's. It looks like lost records in both. One group
belongs to one application, and so to one principal.""",
    fix="Give each application a group of its own.",
    requirements=("R21", "R15"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {principal: "User:billing", topics: [orders]}
acls:
  - {principal: "User:lag-monitor", group: billing, operations: [Describe]}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {principal: "User:billing", topics: [orders]}
acls:
  - {principal: "User:audit", group: billing, operations: [Read]}
""",
            line=7,
            column=17,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing:
    topics: [orders]
streams:
  billing:
    reads: [orders]
""",
            line=5,
            column=3,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], config: {group.id: shop}}
""",
            line=5,
            column=50,
        ),
    ),
)
