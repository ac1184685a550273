from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import BILLING, CLICKS, inheriting, orders_with
from kafka_topology.validators.engine.helpers import problem_with, shown
from kafka_topology.validators.engine.in_library import called
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.message_sizes import maximum_of, maximums

DOCS = """\
# KT515: fetch-below-message

A reader fetches less at a time than the largest message of its topic.

A broker never splits a batch. If the first batch of a partition is larger than `max.partition.fetch.bytes`, it sends
that batch alone (since Kafka 0.10.1, KIP-74), so nobody gets stuck; but large messages arrive one by one, and the
memory limit that the application relies on does not hold. KT309 checks `fetch.max.bytes`. KT413 is about the same sizes
on the producer's side.

Fix: Set `max.partition.fetch.bytes` to the topic's `max.message.bytes` or more.
"""

# Kafka's defaults, 1 MiB for the fetch and 12 bytes more for the message, both mean about a megabyte.
_DEFAULT_MESSAGE = 1_048_588
_ABOUT_A_MEGABYTE = 1_000_000


def check(context: Context) -> Iterator[Problem]:
    maximums_of = maximums(context)
    for reader in context.index.clients.readers:
        size, name = maximums_of(reader).largest
        needed = size if size > _DEFAULT_MESSAGE else min(size, _ABOUT_A_MEGABYTE)
        fetched = reader.number("max.partition.fetch.bytes")
        if fetched is None or fetched >= needed:
            continue
        fetch = reader.setting("max.partition.fetch.bytes")
        if fetch is None:
            continue
        message, place = maximum_of(context, name)
        yield problem_with(
            fetch,
            reader,
            f"max.partition.fetch.bytes is {shown(fetch)}, below the max.message.bytes"
            f" {shown(message) if message else size} of {name}; expected at least {size} bytes",
            f"set {called(reader.declared, fetch.name)} to {size} or more, or lower max.message.bytes of {name}",
            edit=str(size),
            related=place,
        )


GOOD = (
    orders_with("config: {max.message.bytes: 5MiB}")
    + """\
  clicks: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], config: {max.partition.fetch.bytes: 5MiB}}
  dashboard: {topics: [clicks], config: {max.partition.fetch.bytes: 1MB}}
""",
)
BAD = (
    Bad(
        orders_with("config: {max.message.bytes: 5MiB}")
        + """\
consumerGroups:
  billing: {topics: [orders], config: {max.partition.fetch.bytes: 1MiB}}
""",
        line=5,
        column=67,
    ),
    Bad(inheriting("replication: 3, config: {max.message.bytes: 5MiB}") + BILLING, line=7, column=3),
    Bad(
        CLICKS + "consumerGroups:\n  dashboard: {topics: [clicks], config: {max.partition.fetch.bytes: 1KiB}}\n",
        line=5,
        column=69,
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R30",))
