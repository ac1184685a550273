from __future__ import annotations

from collections.abc import Callable, Iterator

from kafka_topology.topology.model.declared import Topology
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.topic_purposes import purpose_of

DOCS = """\
# KT520: topic-unused

Nobody writes a topic, or nobody reads it.

A topic without a writer or a reader is a leftover, or belongs to an application that nobody declared: then nothing
checks its access, delivery and lag either. Others may read a public topic, so only its writer must be declared. If a
topology declares no producers at all, or no readers, the rule skips that side. The rule also skips topics that a tool
or framework keeps for itself, by their names: changelogs and repartition topics of Kafka Streams, heartbeats, dead
letters (`orders.dlq`), and the state of MirrorMaker, Connect and schema registries.

Fix: Declare the producer, the group, the share group or the streams application, or remove the topic.
"""


def check(context: Context) -> Iterator[Problem]:
    topology, clients = context.topology, context.index.clients
    readers = clients.readers or topology.share_groups
    if not clients.writers and not readers:
        return  # the topology declares no applications at all
    may_write, may_read = _granted(topology, "Write"), _granted(topology, "Read")
    for topic in topology.topics.values():
        name = topic.name
        if purpose_of(name) is not None:
            continue
        unwritten = clients.writers and not clients.writers_of(name) and not may_write(name)
        is_read = clients.readers_of(name) or context.index.share_groups_of(name) or may_read(name)
        unread = readers and topic.visibility == "private" and not is_read
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
    """Whether an entry under `acls` allows anyone this operation on a topic."""
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


GOOD = (
    ORDERS
    + """\
  prices: {visibility: public, partitions: 6, replication: 3}
  orders.dlq: {partitions: 1, replication: 3}
  summing-totals-changelog: {partitions: 6, replication: 3}
  heartbeats: {partitions: 1, replication: 3}
  mm2-offset-syncs.dr.internal: {partitions: 1, replication: 3}
producers:
  checkout: {topics: [orders, prices]}
consumerGroups:
  billing: {topics: [orders]}
""",
)
RETURNS_BLOCK = "  returns:\n    partitions: 6\n    replication: 3\n"
BAD = (
    Bad(
        ORDERS
        + RETURNS_BLOCK
        + """\
producers:
  checkout: {topics: [orders, returns]}
consumerGroups:
  billing: {topics: [orders]}
""",
        line=4,
        column=3,
    ),
    Bad(
        ORDERS
        + RETURNS_BLOCK
        + """\
producers:
  checkout: {topics: [orders]}
streams:
  summing: {reads: [orders, returns]}
""",
        line=4,
        column=3,
    ),
)

RULE = rule(DOCS, Severity.ADVICE, check, GOOD, BAD, requirements=("R34",))
