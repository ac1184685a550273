from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import CHECKOUT, ORDERS, inheriting, orders_with
from kafka_topology.validators.engine.helpers import problem_with, related, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT413: request-above-topic-maximum

A producer may send records that one of its topics refuses.

`max.request.size` is the largest record a producer accepts from the application, `max.message.bytes` the largest batch
a topic accepts. A record between the two is accepted, sent over the network, and refused by the broker: the error
appears late, in a future or callback that many applications ignore.

Fix: Set the producer's `max.request.size` to the smallest `max.message.bytes` of its topics, or raise that of the
topics.
"""


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
        yield problem_with(
            request,
            writer,
            f"max.request.size is {shown(request)}, above the max.message.bytes {smallest} of {name};"
            f" expected at most {smallest}",
            f"set max.request.size to {smallest} or less, or raise max.message.bytes of {name}",
            edit=str(smallest),
            related=related(maximum, f"the maximum of {name}") if maximum is not None else (),
        )


GOOD = (
    orders_with("config: {max.message.bytes: 2MiB}")
    + "producers:\n  checkout: {topics: [orders], config: {max.request.size: 2097152}}\n",
)
BAD = (
    Bad(ORDERS + CHECKOUT + "    config:\n      max.request.size: 5242880\n", line=8, column=25),
    Bad(inheriting("replication: 3, config: {max.message.bytes: 100KiB}") + CHECKOUT, line=7, column=3),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R17",))
