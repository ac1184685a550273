from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import replace

from kafka_topology.topology.kafka.access import Grant, derived_acls
from kafka_topology.topology.kafka.authorizer import ONLY_LOOKS
from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.words import named
from kafka_topology.validators.engine.examples import changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import owners_of_principals

DOCS = """\
# KT611: prefix-reaches-others

A prefixed ACL includes topics of another owner.

A prefix includes everything that starts with it, now and later: `shop` also includes `shopping.carts` of another team.
A Kafka Streams application gets such access too, to all topics that start with its application id and `-`. Everyone
may read public topics, so Read on those is fine, and so is a private topic that is shared with the owner.

Fix: Use a longer prefix that ends in a separator, such as `shop.`, or name the topics.
"""


def check(context: Context) -> Iterator[Problem]:
    prefixed: dict[tuple[str, str], list[Grant]] = {}
    only_streams = replace(context.topology, producers={}, consumer_groups={}, share_groups={})
    for grant in derived_acls(only_streams):
        if grant.pattern == "literal" or grant.resource != "topic" or grant.permission == "deny":
            continue
        if grant.operation not in ONLY_LOOKS:
            prefixed.setdefault((grant.principal, grant.name), []).append(grant)
    if not prefixed:
        return
    topics = context.topology.topics
    names = sorted(topics)
    owners = owners_of_principals(context.topology)
    for (principal, prefix), grants in prefixed.items():
        only_reads = all(grant.operation == "Read" for grant in grants)
        reached = [topic for topic in _starting_with(prefix, names, topics) if not _is_open(topic, only_reads)]
        own = owners.get(principal, frozenset())
        foreign = [topic for topic in reached if topic.owner is not None and own.isdisjoint(_users(topic))]
        # The owner of a principal may be unknown, but it cannot be two owners at once.
        if not foreign or (not own and frozenset.intersection(*map(_users, foreign))):
            continue
        one_each = {topic.owner: topic for topic in reversed(foreign)}
        others = sorted(one_each.values(), key=lambda topic: topic.name)
        operations = ", ".join(sorted(grant.operation for grant in grants))
        including = named(tuple(f"{topic.name} of {topic.owner}" for topic in others))
        yield Problem(
            f"{prefix}: {principal} gets {operations} on every topic that starts with {prefix}, including {including};"
            f" expected only topics of {' and '.join(sorted(own)) or 'one owner'}",
            grants[0].place,
            principal,
            "use a longer prefix, or name the topics",
            related=tuple(Related(topic.location, f"{topic.name} belongs to {topic.owner}") for topic in others[:3]),
        )


def _starting_with(prefix: str, names: list[str], topics: Mapping[str, Topic]) -> Iterator[Topic]:
    for position in range(bisect_left(names, prefix), len(names)):
        if not names[position].startswith(prefix):
            return
        yield topics[names[position]]


def _users(topic: Topic) -> frozenset[str | None]:
    """The owner and the teams that the topic is shared with."""
    return frozenset((topic.owner, *topic.shared_with))


def _is_open(topic: Topic, only_reads: bool) -> bool:
    return only_reads and topic.visibility == "public"


EXAMPLE = """\
version: 1
topics:
  shop.orders: {owner: checkout, partitions: 6, replication: 3}
  shopping.carts: {owner: web, partitions: 6, replication: 3}
acls:
  - {principal: "User:checkout", topic: shop., pattern: prefixed, operations: [Read]}
"""

GOOD = (
    EXAMPLE,
    changed(EXAMPLE, {"topic: shop.": "topic: shop", "owner: web": "owner: web, sharedWith: [checkout]"}),
)
BAD = (
    Bad(changed(EXAMPLE, {"topic: shop.": "topic: shop"}), line=6, column=79),
    Bad(
        """\
version: 1
topics:
  orders: {owner: checkout, visibility: public, partitions: 6, replication: 3}
  totals-daily: {owner: finance, partitions: 6, replication: 3}
streams:
  totals:
    owner: checkout
    principal: User:totals
    reads: [orders]
""",
        line=6,
        column=3,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R15", "R33"))
