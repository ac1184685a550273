from __future__ import annotations

from collections.abc import Callable, Iterator

from ...topology.findings import Severity
from ...topology.model import Topology
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    topology, clients = context.topology, context.index.clients
    if not clients.writers and not clients.readers:
        return  # this topology declares no applications at all
    may_write, may_read = _granted(topology, "Write"), _granted(topology, "Read")
    for topic in topology.topics.values():
        name = topic.name
        unwritten = clients.writers and not clients.writers_of(name) and not may_write(name)
        unread = (
            clients.readers and topic.visibility == "private" and not clients.readers_of(name) and not may_read(name)
        )
        if not unwritten and not unread:
            continue
        what = "writes or reads" if unwritten and unread else "writes" if unwritten else "reads"
        whom = "a producer" if unwritten else "a group"
        yield Problem(
            f"{name}: nobody {what} it; expected at least {whom}",
            topic.place(),
            name,
            "declare who uses it, or remove the topic",
        )


def _granted(topology: Topology, operation: str) -> Callable[[str], bool]:
    """Whether an entry under `acls` lets someone do this to a topic."""
    acls = [
        acl
        for acl in topology.acls
        if acl.resource == "topic"
        and acl.permission == "allow"
        and (operation in acl.operations or "All" in acl.operations)
    ]
    names = {acl.name for acl in acls if acl.pattern == "literal"}
    prefixes = tuple(acl.name for acl in acls if acl.pattern == "prefixed")
    return lambda name: name in names or "*" in names or name.startswith(prefixes)


RULE = Rule(
    id="KT520",
    name="topic-unused",
    severity=Severity.ADVICE,
    summary="Nobody writes a topic, or nobody reads it.",
    why="""\
A topic without a writer or a reader is a leftover, or an application that nobody declared: then its access, its
delivery and its lag are not looked after either. A public topic may be read by others, so only its writer is asked for.
In a topology that declares no producers at all, or no readers, that side is not asked for.""",
    fix="Declare the producer, the group or the streams application; or remove the topic.",
    requirements=("R34",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
  prices: {visibility: public, partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders, prices]}
consumerGroups:
  billing: {topics: [orders]}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
  returns:
    partitions: 6
    replication: 3
producers:
  checkout: {topics: [orders, returns]}
consumerGroups:
  billing: {topics: [orders]}
""",
            line=4,
            column=3,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
  returns:
    partitions: 6
    replication: 3
producers:
  checkout: {topics: [orders]}
streams:
  summing: {reads: [orders, returns]}
""",
            line=4,
            column=3,
        ),
    ),
)
