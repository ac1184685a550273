from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.effective import Setting
from kafka_topology.topology.model.declared import ConsumerGroup, Topic
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import parse_integer
from kafka_topology.validators.engine.examples import BILLING, ORDERS, changed, inheriting, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import related, shown
from kafka_topology.validators.engine.in_library import called
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT309: message-above-limits

`max.message.bytes` is above what a segment, a broker or a consumer can handle.

A batch that is larger than a segment or a request is refused although the topic allows it: an error. A batch that is
larger than a fetch is delivered alone (since Kafka 0.10.1, KIP-74), so replicas and consumers slow down to one batch at
a time: a warning, unless both are defaults. KT515 checks what a consumer fetches from one partition.

Fix: Lower `max.message.bytes`, or raise the limit that the message names.
"""

KEY = "max.message.bytes"
FETCH = "fetch.max.bytes"
# Kafka's own defaults differ by the 12 bytes of a batch's offset and length: 1048588 against 1048576. A segment takes
# no byte more than segment.bytes, but producers send no such batches with their default max.request.size.
SLACK = 12


def check(context: Context) -> Iterator[Problem]:
    size_of = context.index.topic_number(KEY)
    segment_of = context.index.topic_number("segment.bytes")
    brokers = [
        (setting, setting.number + SLACK)
        for name in ("replica.fetch.max.bytes", "replica.fetch.response.max.bytes", "socket.request.max.bytes")
        if (setting := context.settings.broker(name)) is not None and setting.number is not None
        # A fetch returns at least one batch, however large, so an undeclared default contradicts nothing.
        if setting.is_declared or name == "socket.request.max.bytes"
    ]
    usual = parse_integer(context.settings.catalogue.consumer[FETCH].default or "")
    for topic in context.topology.topics.values():
        size = size_of(topic)
        if size is None:
            continue
        segment = segment_of(topic)
        if segment is not None and size > segment + (0 if _is_declared(context, topic) else SLACK):
            yield from _problem(context, topic, context.settings.topic(topic, "segment.bytes"), "")
        for limit, number in brokers:
            if size > number:
                yield from _problem(context, topic, limit, " of the brokers")
        # A group of a program does not declare its clients' settings.
        for group in context.index.groups_of(topic.name) if not context.is_part else ():
            fetch = _fetch(context, group, usual)
            if fetch is not None and size > fetch + SLACK:
                of_group = context.settings.consumer(group, FETCH)
                if of_group is None or not (of_group.is_declared or _is_declared(context, topic)):
                    continue  # both are defaults, and a larger batch is delivered alone
                yield from _problem(context, topic, of_group, f" of group {group.name}", called(group, FETCH))


def _is_declared(context: Context, topic: Topic) -> bool:
    setting = context.settings.topic(topic, KEY)
    return setting is not None and setting.is_declared


def _fetch(context: Context, group: ConsumerGroup, usual: int | None) -> int | None:
    if group.library is not None:
        setting = context.settings.consumer(group, FETCH)
        return None if setting is None else setting.number
    return parse_integer(group.config[FETCH]) if FETCH in group.config else usual


def _problem(
    context: Context, topic: Topic, limit: Setting | None, whose: str, own_name: str | None = None
) -> Iterator[Problem]:
    size = context.settings.topic(topic, KEY)
    if size is None or limit is None:
        return
    name = own_name or limit.name
    # If the size is not declared, the limit below it must change.
    place = size.place if size.is_declared else limit.place
    only_slows = "fetch" in limit.name
    yield Problem(
        f"{topic.name}: {KEY} is {shown(size)}, above {name}{whose} of {shown(limit)}; expected at most that",
        place,
        topic.name,
        f"lower {KEY}, or raise {name}{whose}",
        related(limit, f"{name} is set here") if size.is_declared else (),
        severity=Severity.WARNING if only_slows else None,
    )


EXAMPLE = orders_with("config: {max.message.bytes: 5MiB}") + "consumerGroups:\n  billing: {topics: [orders]}\n"

GOOD = (EXAMPLE, ORDERS + BILLING + "    library: kafka-go\n")
BAD = (
    Bad(orders_with("config: {max.message.bytes: 5MiB, segment.bytes: 2MiB}"), line=3, column=71),
    Bad(orders_with("config: {max.message.bytes: 1048588, segment.bytes: 1MiB}"), line=3, column=71),
    Bad(
        on_cluster(
            "defaults: {replica.fetch.max.bytes: 2MiB}", inheriting("replication: 3, config: {max.message.bytes: 5MiB}")
        ),
        line=4,
        column=55,
        needs_whole=True,
    ),
    Bad(
        changed(EXAMPLE, {"topics: [orders]": "topics: [orders], config: {fetch.max.bytes: 2MiB}"}),
        line=3,
        column=71,
        needs_whole=True,
    ),
    Bad(orders_with("config: {max.message.bytes: 200MiB}"), line=3, column=71, needs_whole=True),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R27",), judges_parts=True)
