from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...topology.findings import Severity
from ...topology.model import Topic
from ...topology.units import format_rate
from ..changes import about
from ..client_roles import Writer
from ..rule import Bad, Context, Problem, Rule


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
            continue  # a quota of a client id goes before the user's
        rate = quota.producer_byte_rate if direction == "producer" else quota.consumer_byte_rate
        needed = _busiest_broker(topics, brokers)
        if rate is None or needed <= rate:
            continue
        field = f"{direction}ByteRate"
        yield Problem(
            f"{user}: {field} is {format_rate(rate)} on each broker, but the declared peaks come to {about(needed)}/s"
            " on the busiest one at best; expected at least that",
            quota.place(field),
            user,
            f"raise {field} above {about(needed)}/s, or spread the load over more partitions and brokers",
        )


def _loads(context: Context) -> dict[tuple[str, str], list[Topic]]:
    """By user and direction: the topics it alone writes, and those it reads, once for each group."""
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
    """The least that the busiest broker must take, however well leaders are spread. Quotas hold on each broker."""
    total = worst = 0.0
    for topic in topics:
        peak = topic.throughput.peak if topic.throughput is not None else None
        if peak is not None:
            total += peak
            worst = max(worst, peak / topic.partitions)
    return max(worst, total / brokers) if brokers else worst


RULE = Rule(
    id="KT610",
    name="quota-below-peak",
    severity=Severity.WARNING,
    summary="A quota is below the load that the topology declares for that user.",
    why="""\
A client above its quota is not refused but delayed: at the peak, when it matters, latency grows, buffers fill, and a
consumer falls behind. Quotas hold on each broker, so what counts is the share of the busiest one. A topic with several
writers is left out, because nothing says which of them writes how much.""",
    fix="Raise the quota above the peak, with some air, or declare the lower peak.",
    requirements=("R33", "R4"),
    check=check,
    good=(
        """\
version: 1
cluster: {brokers: 3}
topics:
  orders: {partitions: 6, replication: 3, throughput: {peak: 40MB/s}}
producers:
  checkout: {principal: "User:checkout", topics: [orders]}
quotas:
  - {user: checkout, producerByteRate: 20MB/s}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
cluster: {brokers: 3}
topics:
  orders: {partitions: 6, replication: 3, throughput: {peak: 40MB/s}}
producers:
  checkout: {principal: "User:checkout", topics: [orders]}
quotas:
  - {user: checkout, producerByteRate: 10MB/s}
""",
            line=8,
            column=40,
        ),
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
    ),
)
