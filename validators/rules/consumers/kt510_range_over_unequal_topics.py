from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.assignors import COOPERATIVE, classes_of
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS
from kafka_topology.validators.engine.helpers import place_of
from kafka_topology.validators.engine.in_library import own_library, to_set
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import Reader

DOCS = """\
# KT510: range-over-unequal-topics

The range assignor distributes topics with different numbers of partitions.

The range assignor distributes each topic separately, always from the first member on. That puts partition 3 of one
topic next to partition 3 of the other, which a join needs, but which makes sense only if the counts are equal. With
different counts, the first members get a larger share of every topic, and nothing is joined. A share group has no
assignor.

Fix: Use an assignor that distributes all partitions together, such as cooperative-sticky or uniform.
"""


def check(context: Context) -> Iterator[Problem]:
    topics = context.topology.topics
    for reader in context.index.clients.groups:
        if len(reader.topics) < 2 or reader.is_standalone or reader.assignor != "range":
            continue
        counts = {name: topics[name].partitions for name in reader.topics if name in topics}
        if len(set(counts.values())) < 2:
            continue
        server_side = reader.protocol == "consumer"
        name = "group.remote.assignor" if server_side else "partition.assignment.strategy"
        setting = reader.setting(name)
        listed = ", ".join(f"{topic} has {count}" for topic, count in counts.items())
        better = "uniform" if server_side else _better(reader)
        yield Problem(
            f"{reader.name}: the range assignor distributes topics with different partition counts ({listed}), so the"
            " first members get more; expected equal counts, or another assignor",
            place_of(setting, reader.declared) if setting is not None else reader.declared.place(),
            reader.name,
            f"{to_set(reader.declared, name, better)}, or give the topics equal partition counts",
        )


def _better(reader: Reader) -> str:
    """The best assignor that the client's library has."""
    library = own_library(reader.declared)
    has_it = library is None or library.can_say("consumer", "partition.assignment.strategy", COOPERATIVE)
    return COOPERATIVE if has_it else classes_of("roundrobin")


GOOD = (
    ORDERS
    + """\
  payments: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders, payments]}
""",
)
UNEQUAL = (
    ORDERS
    + """\
  payments: {partitions: 4, replication: 3}
consumerGroups:
  billing:
    topics: [orders, payments]
"""
)
BAD = (
    Bad(
        UNEQUAL + "    config:\n      partition.assignment.strategy: org.apache.kafka.clients.consumer.RangeAssignor\n",
        line=9,
        column=38,
    ),
    Bad(UNEQUAL + "    config: {group.protocol: consumer, group.remote.assignor: range}\n", line=8, column=63),
)

RULE = rule(DOCS, Severity.ADVICE, check, GOOD, BAD, requirements=("R24",))
