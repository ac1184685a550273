from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import own_edit, place_of, related, shown
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    topics = context.topology.topics
    maximum_of = context.index.topic_number("max.message.bytes")
    for writer in context.index.clients.writers:
        size = writer.number("max.request.size")
        if size is None:
            continue
        limits = [(maximum_of(topics[name]), name) for name in writer.topics if name in topics]
        smallest, name = min(((most, name) for most, name in limits if most is not None), default=(None, ""))
        if smallest is None or size <= smallest:
            continue
        request = writer.setting("max.request.size")
        if request is None:
            continue
        maximum = context.settings.topic(topics[name], "max.message.bytes")
        yield Problem(
            f"{writer.name}: max.request.size is {shown(request)}, above the max.message.bytes {smallest}"
            f" of {name}; expected at most {smallest}",
            place_of(request, writer.declared),
            writer.name,
            f"set max.request.size to {smallest} or less, or raise max.message.bytes of {name}",
            related=related(maximum, f"the maximum of {name}") if maximum is not None else (),
            edits=own_edit(request, str(smallest)),
        )


RULE = Rule(
    id="KT413",
    name="request-above-topic-maximum",
    severity=Severity.ERROR,
    summary="A producer may send records that a topic it writes refuses.",
    why="""\
`max.request.size` is the largest record a producer accepts from the application, `max.message.bytes` the largest batch
a topic takes. Between the two, a record is accepted, sent over the network, and refused by the broker: the error comes
late, at the future or callback that many applications do not look at.""",
    fix="""\
Set `max.request.size` of the producer to the smallest `max.message.bytes` of its topics, or raise the topics' one.""",
    requirements=("R17",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {max.message.bytes: 2MiB}}
producers:
  checkout: {topics: [orders], config: {max.request.size: 2097152}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout:
    topics: [orders]
    config:
      max.request.size: 5242880
""",
            line=8,
            column=25,
        ),
        Bad(
            """\
version: 1
profiles:
  small: {replication: 3, config: {max.message.bytes: 100KiB}}
topics:
  orders: {profile: small, partitions: 6}
producers:
  checkout:
    topics: [orders]
""",
            line=7,
            column=3,
        ),
    ),
)
