from __future__ import annotations

from collections.abc import Iterable, Iterator

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Severity, excess
from kafka_topology.topology.model.units import format_rate
from kafka_topology.validators.engine.examples import changed, on_cluster, orders_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.changes import about
from kafka_topology.validators.facts.client_roles import Writer
from kafka_topology.validators.facts.quotas import Direction, Limited, Quotas, client_id

DOCS = """\
# KT610: quota-below-peak

A quota is below the load that the topology declares for that user.

A client above its quota is delayed, not refused: at the peak, when it matters, latency grows, buffers fill up, and a
consumer falls behind. Quotas apply to each broker, so the share of the busiest one counts. Of several quotas Kafka
takes the first one of: user and client id, user, default user and client id, default user, client id. The rule compares
`client.id` in the config of a client. It skips a client without one if a quota is for a client id, a streams
application, whose client ids have a suffix, and topics with several writers, because nothing declares how much each of
them writes.

Fix: Raise the quota above the peak, with some headroom, or declare the lower peak.
"""


def check(context: Context) -> Iterator[Problem]:
    if not context.topology.quotas:
        return
    brokers = len(context.topology.cluster.brokers or ())
    for limited, topics in _loads(context).items():
        field = f"{limited.direction}ByteRate"
        rate, needed = limited.rate, _busiest_broker(topics, brokers)
        if needed <= rate:
            continue
        yield Problem(
            f"{limited.whom}: {field} is {format_rate(rate)} on each broker, but the declared peaks reach at least"
            f" {about(needed)}/s on the busiest one; expected at least that",
            limited.place,
            limited.user or limited.client or "",
            f"raise {field} above {about(needed)}/s, or spread the load over more partitions and brokers",
            evidence={"limited": limited.whom, "field": field, **excess(needed / max(rate, 1))},
        )


def _loads(context: Context) -> dict[Limited, list[Topic]]:
    """By what a quota limits together: the topics that it alone writes, or those that it reads, once for each group."""
    topics, clients = context.topology.topics, context.index.clients
    quotas = Quotas(context.topology.quotas)
    loads: dict[Limited, list[Topic]] = {}
    for client in clients.all:
        direction: Direction = "producer" if isinstance(client, Writer) else "consumer"
        for principal in client.declared.principals:  # during a rotation, each may carry the whole load
            if not principal.startswith("User:"):
                continue
            user, identified = principal.removeprefix("User:"), client_id(client.declared)
            limited = quotas.limiting(user, identified, client.name, direction)
            for name in client.topics if limited is not None else ():
                topic = topics.get(name)
                if topic is not None and (direction == "consumer" or len(clients.writers_of(name)) == 1):
                    assert limited is not None  # noqa: S101 - for the type checker
                    loads.setdefault(limited, []).append(topic)
    return loads


def _busiest_broker(topics: Iterable[Topic], brokers: int) -> float:
    """The least load on the busiest broker, however well the leaders are spread. Quotas apply to each broker."""
    total = worst = 0.0
    for topic in topics:
        peak = topic.throughput.peak if topic.throughput is not None else None
        if peak is not None:
            total += peak
            worst = max(worst, peak / topic.partitions)
    return max(worst, total / brokers) if brokers else worst


EXAMPLE = on_cluster(
    "brokers: 3",
    orders_with("throughput: {peak: 40MB/s}")
    + """\
producers:
  checkout: {principal: "User:checkout", topics: [orders]}
quotas:
  - {user: checkout, producerByteRate: 20MB/s}
""",
)

NIGHTLY = changed(
    EXAMPLE,
    {
        "topics: [orders]}": "topics: [orders], config: {client.id: nightly}}",
        "user: checkout, producerByteRate: 20MB/s": "user: checkout, clientId: nightly, producerByteRate: 1MB/s",
    },
)

GOOD = (
    EXAMPLE,
    changed(NIGHTLY, {"client.id: nightly": "client.id: daily"}),
    changed(NIGHTLY, {", config: {client.id: nightly}": ""}),
    NIGHTLY.replace("1MB/s}", "20MB/s}") + "  - {user: checkout, producerByteRate: 1MB/s}\n",
)
BAD = (
    Bad(NIGHTLY, line=8, column=59),
    Bad(
        orders_with("throughput: {peak: 40MB/s}")
        + """\
shareGroups:
  packers: {principal: "User:packers", topics: [orders], config: {client.id: packer}}
quotas:
  - {user: packers, clientId: packer, consumerByteRate: 1MB/s}
""",
        line=7,
        column=57,
    ),
    Bad(changed(NIGHTLY, {"user: checkout, clientId": "clientId"}), line=8, column=43),
    Bad(changed(NIGHTLY, {"clientId: nightly": "clientId: default"}), line=8, column=59),
    Bad(changed(EXAMPLE, {"producerByteRate: 20MB/s": "producerByteRate: 10MB/s"}), line=8, column=40),
    Bad(
        """\
version: 1
topics:
  orders: {partitions: 2, replication: 3, throughput: {peak: 40MB/s}}
consumerGroups:
  billing: {principal: "User:billing", topics: [orders]}
quotas:
  - user: default
    consumerByteRate: 10MB/s
""",
        line=8,
        column=23,
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R33", "R4"))
