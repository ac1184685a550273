from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.libraries import config_place, given
from kafka_topology.topology.kafka.share_groups import possible_share_groups
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import BILLING, ORDERS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import roles

DOCS = """\
# KT512: group-shared

Two applications use one consumer group.

A group's name is global in the cluster. Two applications in one group divide the partitions between them, so each sees
only part of the records, and each overwrites the offsets of the other. To both it looks like lost records. One group
belongs to one application, and so to one principal. While that principal is replaced, the old and the new one need
access together: list both under `principal`. A second principal in an ACL is an error only if it is the principal of
another application in the file, and otherwise a warning.

Fix: Give each application its own group. While you replace a principal, list the old and the new one under the group's
`principal` instead of granting access with an ACL.
"""


def check(context: Context) -> Iterator[Problem]:
    topology = context.topology
    for group in topology.consumer_groups.values():
        client = given(group).get("group.id")
        if client is not None and client != group.name:
            yield Problem(
                f"{group.name}: its client sets group.id to {client}, so it joins another group; expected {group.name}",
                config_place(group, "group.id"),
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
    for share_group in possible_share_groups(topology).values():
        client = share_group.config.get("group.id")
        if client is not None and client != share_group.name:
            yield Problem(
                f"{share_group.name}: its client sets group.id to {client}, so it joins another share group; expected"
                f" {share_group.name}",
                share_group.place("config", "group.id"),
                share_group.name,
                "remove group.id from the config: the share group's name is its id",
            )
    for application in topology.streams.values():
        client = application.config.get("application.id")
        if client is not None and client != application.application_id:
            yield Problem(
                f"{application.application_id}: its config sets application.id to {client}, so it joins another group;"
                f" expected {application.application_id}",
                application.place("config", "application.id"),
                application.application_id,
                "remove application.id from the config: the application's name is its id",
            )
    yield from _other_principals(context)


def _other_principals(context: Context) -> Iterator[Problem]:
    topology = context.topology
    applications: dict[str, str] = {}
    for name, role in roles(topology) if topology.acls else ():
        for principal in role.principals:
            applications.setdefault(principal, name)
    for acl in topology.acls:
        if acl.resource != "group" or acl.pattern != "literal" or acl.permission != "allow":
            continue
        if "Read" not in acl.operations and "All" not in acl.operations:
            continue  # describing or deleting a group is not using it
        user = (
            topology.consumer_groups.get(acl.name)
            or topology.share_groups.get(acl.name)
            or topology.streams.get(acl.name)
        )
        if user is None or not user.principals or acl.principal in user.principals:
            continue
        other = applications.get(acl.principal)
        yield Problem(
            f"{acl.name}: {acl.principal}{f', which is {other},' if other is not None else ''} may join and commit the"
            f" group of {user.principal}; expected one principal",
            acl.place("principal"),
            acl.name,
            f"give {acl.principal} its own group, or grant only Describe; if it replaces {user.principal}, list both"
            " under `principal` meanwhile",
            related=(Related(user.place("principal").location, f"the group belongs to {user.principal}"),),
            severity=Severity.WARNING if other is None else None,
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
    Bad(
        changed(
            EXAMPLE,
            {
                "acls:\n": '  audit: {principal: "User:audit", topics: [orders]}\nacls:\n',
                'principal: "User:lag-monitor"': 'principal: "User:audit"',
                "operations: [Describe]": "operations: [Read]",
            },
        ),
        line=8,
        column=17,
    ),
    Bad(ORDERS + BILLING + "streams:\n  billing:\n    reads: [orders]\n", line=5, column=3),
    Bad(ORDERS + "consumerGroups:\n  billing: {topics: [orders], config: {group.id: shop}}\n", line=5, column=50),
    Bad(ORDERS + "streams:\n  summing: {reads: [orders], config: {application.id: shop}}\n", line=5, column=55),
    Bad(ORDERS + "shareGroups:\n  packers: {topics: [orders], config: {group.id: shop}}\n", line=5, column=50),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R21", "R15"))
