from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import CHECKOUT, ORDERS, changed, inheriting, orders_with
from kafka_topology.validators.engine.helpers import problem_with, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import Writer
from kafka_topology.validators.facts.message_sizes import Maximums, maximum_of, maximums

DOCS = """\
# KT413: request-above-topic-maximum

A producer may send records that one of its topics refuses.

`max.request.size` is the largest record that a producer accepts from the application, before compression.
`max.message.bytes` is the largest batch that a topic accepts, after compression. Without compression, a record between
the two is accepted, sent over the network, and refused by the broker: the error appears late, in a future or callback
that many applications ignore. A producer that compresses may well have the larger limit, so a declared one is only an
advice there: records that do not compress enough are refused. A producer has one limit for all its topics. If one
topic accepts less than the others, or is not in the files, the finding is a warning, and `--fix` changes nothing: a
lower limit would refuse records that the other topics accept. KT515 is about the same sizes on the reader's side.

Fix: Raise `max.message.bytes` of the topic, or set `max.request.size` of a producer whose topics all accept the same
size to that size.
"""

REQUEST = "max.request.size"


def check(context: Context) -> Iterator[Problem]:
    maximums_of = maximums(context)
    for writer in context.index.clients.writers:
        size = writer.number(REQUEST)
        accepted = maximums_of(writer)
        smallest, name = accepted.smallest
        if size is None or not name or size <= smallest:
            continue
        request = writer.setting(REQUEST)
        compresses = _arrives_compressed(context, writer, name)
        if request is None or (compresses and not request.is_declared):
            continue
        expected, fix = _advice(accepted, size, compresses=compresses)
        _, place = maximum_of(context, name)
        yield problem_with(
            request,
            writer,
            f"{REQUEST} is {shown(request)}{' before compression' if compresses else ''}, above the max.message.bytes"
            f" {smallest} of {name}; expected {expected}",
            fix,
            edit=str(smallest) if accepted.are_one and not compresses else None,
            related=place,
            severity=_severity(accepted, size, compresses=compresses),
        )


def _arrives_compressed(context: Context, writer: Writer, topic: str) -> bool:
    """Whether the topic stores batches as the producer compressed them. One that is `uncompressed` unpacks them."""
    if (writer.value("compression.type") or "none").strip().lower() == "none":
        return False
    stored = context.settings.topic(context.topology.topics[topic], "compression.type")
    return stored is None or stored.value.strip().lower() != "uncompressed"


def _severity(accepted: Maximums, size: int, *, compresses: bool) -> Severity | None:
    """Only a limit above those of all topics is wrong for certain: a topic of another team may accept more."""
    if compresses:
        return Severity.ADVICE
    return None if accepted.all_known and size > accepted.largest[0] else Severity.WARNING


def _advice(accepted: Maximums, size: int, *, compresses: bool) -> tuple[str, str]:
    """What is expected, and the fix."""
    smallest, name = accepted.smallest
    if compresses:
        return (
            f"records that compress to {smallest} bytes or less",
            f"make sure that the records compress that well, or raise max.message.bytes of {name} to {size}",
        )
    if accepted.are_one:
        return f"at most {smallest}", f"set {REQUEST} to {smallest} or less, or raise max.message.bytes of {name}"
    return (
        f"a topic that accepts {size} bytes",
        (
            f"raise max.message.bytes of {name} to {size}, or keep records for it below {smallest} bytes in the"
            " application: the producer has one limit for all its topics"
        ),
    )


MIXED = (
    orders_with("config: {max.message.bytes: 5MiB}")
    + """\
  clicks: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders, clicks], config: {max.request.size: 5242880}}
"""
)
COMPRESSED = ORDERS + CHECKOUT + "    config:\n      compression.type: zstd\n      max.request.size: 5242880\n"

GOOD = (
    orders_with("config: {max.message.bytes: 2MiB}")
    + "producers:\n  checkout: {topics: [orders], config: {max.request.size: 2097152}}\n",
    orders_with("config: {max.message.bytes: 100KiB}")
    + "producers:\n  checkout: {topics: [orders], config: {compression.type: lz4}}\n",
)
BAD = (
    Bad(ORDERS + CHECKOUT + "    config:\n      max.request.size: 5242880\n", line=8, column=25),
    Bad(inheriting("replication: 3, config: {max.message.bytes: 100KiB}") + CHECKOUT, line=7, column=3),
    Bad(MIXED, line=6, column=67),
    Bad(COMPRESSED, line=9, column=25),
    Bad(
        """\
version: 1
ownership: {topics: [orders]}
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders, bank.files], config: {max.request.size: 5242880}}
""",
        line=6,
        column=71,
    ),
    Bad(
        changed(COMPRESSED, {"replication: 3": "replication: 3, config: {compression.type: uncompressed}"}),
        line=9,
        column=25,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R17",))
