from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import CHECKOUT, ORDERS, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT419: removed-partitioner

A producer names a partitioner class that Kafka 4 no longer has.

`DefaultPartitioner` and `UniformStickyPartitioner` were deprecated in Kafka 3.3 (KIP-794) and removed in 4.0. A client
of Kafka 4, whatever its brokers are, throws a ConfigException, because the class is not found, and does not start. In
earlier clients they still work, but prefer slow brokers. `DefaultPartitioner` places keys
exactly as a producer without `partitioner.class` does. Clients of other libraries load no Java classes.

Fix: Remove `partitioner.class`. Instead of `UniformStickyPartitioner`, also set `partitioner.ignore.keys: true`.
"""

_PACKAGE = "org.apache.kafka.clients.producer."
# The classes that 4.0 removed, and what to write instead.
REMOVED = {
    f"{_PACKAGE}internals.DefaultPartitioner": "remove partitioner.class: keys are placed as before",
    f"{_PACKAGE}UniformStickyPartitioner": "remove partitioner.class, and set partitioner.ignore.keys to true",
}
NAMES = ("partitioner.class", "producer.partitioner.class")  # the second one is for Kafka Streams


def check(context: Context) -> Iterator[Problem]:
    for client in context.index.clients.configs:
        # Clients whose library has names of its own are not among these: they load no Java classes.
        if client.scope not in ("producer", "streams"):
            continue
        for name in NAMES:
            named = client.values.get(name, "").strip()
            if named not in REMOVED:
                continue
            short = named.rsplit(".", 1)[-1]
            yield Problem(
                f"{client.name}: {name} is {short}, which no client of Kafka 4 has; expected no such setting",
                client.place(name),
                client.name,
                REMOVED[named],
            )


GOOD = (
    ORDERS + CHECKOUT + "    config: {partitioner.class: org.apache.kafka.clients.producer.RoundRobinPartitioner}\n",
)
STICKY = "    config: {partitioner.class: org.apache.kafka.clients.producer.UniformStickyPartitioner}\n"
BAD = (
    Bad(
        ORDERS
        + CHECKOUT
        + """\
    config:
      partitioner.class: org.apache.kafka.clients.producer.internals.DefaultPartitioner
""",
        line=8,
        column=26,
    ),
    Bad(on_cluster('kafka: "3.9"', ORDERS + CHECKOUT + STICKY), line=8, column=33),
    Bad(
        ORDERS
        + """\
streams:
  copying:
    reads: [orders]
    config: {producer.partitioner.class: org.apache.kafka.clients.producer.internals.DefaultPartitioner}
""",
        line=7,
        column=42,
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R10",))
