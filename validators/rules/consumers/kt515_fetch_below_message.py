from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import own_edit, place_of, related, shown
from ..rule import Bad, Context, Problem, Rule

# Kafka's own defaults, 1 MiB for the fetch and 12 bytes more for the message, are both meant as "about a megabyte".
_DEFAULT_MESSAGE = 1_048_588
_ABOUT_A_MEGABYTE = 1_000_000


def check(context: Context) -> Iterator[Problem]:
    topics = context.topology.topics
    size_of = context.index.topic_number("max.message.bytes")
    for reader in context.index.clients.readers:
        sizes = [(size_of(topics[name]) or 0, name) for name in reader.topics if name in topics]
        size, name = max(sizes, default=(0, ""))
        needed = size if size > _DEFAULT_MESSAGE else min(size, _ABOUT_A_MEGABYTE)
        fetched = reader.number("max.partition.fetch.bytes")
        if fetched is None or fetched >= needed:
            continue
        fetch = reader.setting("max.partition.fetch.bytes")
        if fetch is None:
            continue
        message = context.settings.topic(topics[name], "max.message.bytes")
        yield Problem(
            f"{reader.name}: max.partition.fetch.bytes is {shown(fetch)}, below the max.message.bytes"
            f" {shown(message) if message else size} of {name}; expected at least {size} bytes",
            place_of(fetch, reader.declared),
            reader.name,
            f"set max.partition.fetch.bytes to {size} or more, or lower max.message.bytes of {name}",
            related=related(message, f"the maximum of {name}") if message is not None else (),
            edits=own_edit(fetch, str(size)),
        )


RULE = Rule(
    id="KT515",
    name="fetch-below-message",
    severity=Severity.ERROR,
    summary="A reader fetches less at a time than one message of its topic may hold.",
    why="""\
A broker never cuts a batch. When the first batch of a partition is larger than `max.partition.fetch.bytes`, a current
broker sends it alone, so large messages come one by one and the limit of memory that the application relies on does not
hold; clients other than Kafka's own may stop at it for good. KT309 looks at `fetch.max.bytes`.""",
    fix="""\
Set `max.partition.fetch.bytes` to the topic's `max.message.bytes` or more.""",
    requirements=("R30",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {max.message.bytes: 5MiB}}
  clicks: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], config: {max.partition.fetch.bytes: 5MiB}}
  dashboard: {topics: [clicks], config: {max.partition.fetch.bytes: 1MB}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {max.message.bytes: 5MiB}}
consumerGroups:
  billing: {topics: [orders], config: {max.partition.fetch.bytes: 1MiB}}
""",
            line=5,
            column=67,
        ),
        Bad(
            """\
version: 1
profiles:
  large: {replication: 3, config: {max.message.bytes: 5MiB}}
topics:
  orders: {profile: large, partitions: 6}
consumerGroups:
  billing:
    topics: [orders]
""",
            line=7,
            column=3,
        ),
        Bad(
            """\
version: 1
topics:
  clicks: {partitions: 6, replication: 3}
consumerGroups:
  dashboard: {topics: [clicks], config: {max.partition.fetch.bytes: 1KiB}}
""",
            line=5,
            column=69,
        ),
    ),
)
