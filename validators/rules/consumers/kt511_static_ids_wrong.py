from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.libraries import config_place, given
from kafka_topology.topology.model.declared import ConsumerGroup
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import BILLING, ORDERS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT511: static-ids-wrong

A group's static member ids repeat, do not match the number of members, or differ from the client's.

A static member (`group.instance.id`) keeps its partitions across a restart. The broker treats a second member with the
same id as the restarted first one and fences the first: the two keep stopping each other. A member without an id is
dynamic, and its restart makes the whole group rebalance, which static ids are meant to prevent.

Fix: List exactly one id per member.
"""


def check(context: Context) -> Iterator[Problem]:
    for group in context.topology.consumer_groups.values():
        if group.instances:
            yield from _repeated(group)
            yield from _miscounted(group)
            yield from _unlisted(group)
        elif "group.instance.id" in given(group) and (group.members or 1) > 1:
            yield Problem(
                f"{group.name}: group.instance.id is {given(group)['group.instance.id']} for all {group.members}"
                " members, so they fence each other; expected one id per member",
                config_place(group, "group.instance.id"),
                group.name,
                "list one id per member under `instances`",
            )


def _repeated(group: ConsumerGroup) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, instance in enumerate(group.instances):
        if first.setdefault(instance, index) != index:
            yield Problem(
                f"{group.name}: the static id {instance} is listed twice, so the two members fence each other;"
                " expected each id once",
                group.place("instances", index),
                group.name,
                "give every member its own id",
                related=(Related(group.place("instances", first[instance]).location, "first listed here"),),
            )


def _unlisted(group: ConsumerGroup) -> Iterator[Problem]:
    configured = given(group).get("group.instance.id")
    if configured is not None and configured not in group.instances:
        yield Problem(
            f"{group.name}: group.instance.id is {configured}, which is not listed under `instances`; expected one of"
            f" {', '.join(group.instances)}",
            config_place(group, "group.instance.id"),
            group.name,
            "remove group.instance.id from the config, or list it under `instances`",
            related=(Related(group.place("instances").location, "the listed ids"),),
        )


def _miscounted(group: ConsumerGroup) -> Iterator[Problem]:
    count = len(set(group.instances))
    if group.members is not None and count == len(group.instances) and count != group.members:
        yield Problem(
            f"{group.name}: {count} static ids for {group.members} members; expected {group.members}",
            group.place("instances"),
            group.name,
            f"list {group.members} ids under `instances`, or set `members` to {count}",
        )


EXAMPLE = (
    ORDERS
    + """\
consumerGroups:
  billing: {topics: [orders], members: 2, instances: [billing-0, billing-1]}
"""
)

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"billing-1": "billing-0"}), line=5, column=66),
    Bad(ORDERS + BILLING + "    members: 3\n    instances: [billing-0, billing-1]\n", line=8, column=16),
    Bad(
        changed(EXAMPLE, {"instances: [billing-0, billing-1]": "config: {group.instance.id: billing}"}),
        line=5,
        column=71,
    ),
    Bad(
        ORDERS
        + BILLING
        + "    members: 2\n    instances: [billing-0, billing-1]\n    config: {group.instance.id: shop-0}\n",
        line=9,
        column=33,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R24",))
