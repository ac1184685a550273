from __future__ import annotations

from collections.abc import Iterable, Iterator

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_rate
from kafka_topology.validators.engine.examples import changed, on_cluster, orders_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.changes import about
from kafka_topology.validators.facts.client_roles import Writer

DOCS = """\
# KT610: quota-below-peak

A quota is below the load that the topology declares for that user.

A client above its quota is delayed, not refused: at the peak, when it matters, latency grows, buffers fill up, and a
consumer falls behind. Quotas apply to each broker, so the share of the busiest one counts. The rule skips topics with
several writers, because nothing declares how much each of them writes.

Fix: Raise the quota above the peak, with some headroom, or declare the lower peak.
"""


def check(context: Context) -> Iterator[Problem]:
    quotas = [quota for quota in context.topology.quotas if quota.user is not None]
    by_user = {quota.user: quota for quota in quotas if quota.client_id is None}
    finer = {quota.user for quota in quotas if quota.client_id is not None}
    if not by_user or "default" in finer:
        return
    brokers = len(context.topology.cluster.brokers or ())
    for (user, direction), topics in _loads(context).items():
        quota = by_user.get(user) or by_user.get("default")
        if quota is None or user in finer:
            continue  # a quota of a client id takes precedence over the user's
        rate = quota.producer_byte_rate if direction == "producer" else quota.consumer_byte_rate
        needed = _busiest_broker(topics, brokers)
        if rate is None or needed <= rate:
            continue
        field = f"{direction}ByteRate"
        yield Problem(
            f"{user}: {field} is {format_rate(rate)} on each broker, but the declared peaks reach at least"
            f" {about(needed)}/s on the busiest one; expected at least that",
            quota.place(field),
            user,
            f"raise {field} above {about(needed)}/s, or spread the load over more partitions and brokers",
        )


def _loads(context: Context) -> dict[tuple[str, str], list[Topic]]:
    """By user and direction: the topics that it alone writes, and those that it reads, once for each group."""
    topics, clients = context.topology.topics, context.index.clients
    loads: dict[tuple[str, str], list[Topic]] = {}
    for client in clients.all:
        principal = client.declared.principal
        if principal is None or not principal.startswith("User:"):
            continue
        direction = "producer" if isinstance(client, Writer) else "consumer"
        load = loads.setdefault((principal.removeprefix("User:"), direction), [])
        for name in client.topics:
            topic = topics.get(name)
            if topic is not None and (direction == "consumer" or len(clients.writers_of(name)) == 1):
                load.append(topic)
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

GOOD = (EXAMPLE,)
BAD = (
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
