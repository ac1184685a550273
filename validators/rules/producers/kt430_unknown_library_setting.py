from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.libraries import Library, Side, side_of
from kafka_topology.topology.model.declared import StreamsApplication
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import nearest
from kafka_topology.validators.engine.examples import ORDERS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Option, Problem, rule

DOCS = """\
# KT430: unknown-library-setting

A client has a setting that its declared library does not have.

With `library`, the names under `config` are those of that library. librdkafka refuses to start with an unknown name,
kafka-python throws an error, and the Go and JavaScript clients have no field for it. A name of the Java client, such as
`max.request.size`, is the usual reason: most libraries have the setting, under another name.

Fix: Use the name that the message suggests, or remove the setting.
"""


def check(context: Context) -> Iterator[Problem]:
    allowed = context.texts("allow")
    for client, library in context.index.clients.library_configs:
        if isinstance(client.declared, StreamsApplication):
            continue
        side = side_of(client.declared)
        known = library.settings(side)
        for name in client.values:
            if name in known or name.startswith(allowed):
                continue
            yield Problem(
                f"{client.name}: {_what(library, side, name)}; expected one that exists",
                client.name_place(name),
                client.name,
                _fix(library, side, name),
            )


def _what(library: Library, side: Side, name: str) -> str:
    other: Side = "consumer" if side == "producer" else "producer"
    if name in library.settings(other):
        return f"{name} is a setting of a {other} of {library.title}, not of a {side}"
    return f"a {side} of {library.title} has no setting {name}"


def _fix(library: Library, side: Side, name: str) -> str:
    own = library.own_name(side, name)
    if own is not None:
        return f"write {own}, as {library.title} calls it"
    near = nearest(name, library.settings(side), likeness=0.75)
    return f"did you mean {near}?" if near else f"remove {name}, or list it in the rule's option `allow`"


OPTIONS = (
    Option("allow", ("schema.registry.",), "Prefixes of settings that the application reads from the same config."),
)
EXAMPLE = (
    ORDERS
    + """\
producers:
  checkout: {topics: [orders], library: librdkafka, config: {message.max.bytes: 2MiB}}
consumerGroups:
  billing: {topics: [orders], library: sarama, config: {Consumer.Offsets.Initial: OffsetOldest}}
"""
)
GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"message.max.bytes": "max.request.size"}), line=5, column=62),
    Bad(changed(EXAMPLE, {"Consumer.Offsets.Initial": "Consumer.Offsets.Intial"}), line=7, column=57),
    Bad(changed(EXAMPLE, {"message.max.bytes: 2MiB": "group.id: shop"}), line=5, column=62),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, options=OPTIONS, requirements=("R17", "R19", "R23"))
