from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ...topology.model import ConsumerGroup
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for group in context.topology.consumer_groups.values():
        if group.instances:
            yield from _repeated(group)
            yield from _miscounted(group)
        elif "group.instance.id" in group.config and (group.members or 1) > 1:
            yield Problem(
                f"{group.name}: group.instance.id is {group.config['group.instance.id']} for all {group.members}"
                " members, so they fence each other off; expected one id for each",
                group.place("config", "group.instance.id"),
                group.name,
                "list one id for each member under `instances`",
            )


def _repeated(group: ConsumerGroup) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, instance in enumerate(group.instances):
        if first.setdefault(instance, index) != index:
            yield Problem(
                f"{group.name}: the static id {instance} is there twice, so the two members fence each other off;"
                " expected each once",
                group.place("instances", index),
                group.name,
                "give every member an id of its own",
                related=(Related(group.place("instances", first[instance]).location, "first here"),),
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


RULE = Rule(
    id="KT511",
    name="static-ids-wrong",
    severity=Severity.ERROR,
    summary="A group's static member ids repeat, or are not as many as its members.",
    why="""\
A static member (`group.instance.id`) keeps its partitions over a restart. The broker takes a second member with the
same id for the restarted first one and fences the first off: both stop each other in turn. A member without an id is
dynamic, and its restart makes the whole group rebalance, which is what static ids are to prevent.""",
    fix="List exactly one id for each member.",
    requirements=("R24",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], members: 2, instances: [billing-0, billing-1]}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], members: 2, instances: [billing-0, billing-0]}
""",
            line=5,
            column=66,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing:
    topics: [orders]
    members: 3
    instances: [billing-0, billing-1]
""",
            line=8,
            column=16,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], members: 2, config: {group.instance.id: billing}}
""",
            line=5,
            column=71,
        ),
    ),
)
