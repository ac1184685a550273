from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import CLICKS, TRACKER, changed, on_cluster
from kafka_topology.validators.engine.helpers import has_min_isr, problem_with, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import Writer

DOCS = """\
# KT108: min-isr-hides-records

Nobody writes a topic with `acks=all`, but its `min.insync.replicas` is above 1.

Since Kafka 3.7 (KIP-966), readers see a record only after `min.insync.replicas` replicas have it, whatever `acks` the
producer asks for. If fewer are in sync, a producer with `acks` 0 or 1 still gets its answer, but its readers stand
still until the replicas are back. A topic that prefers availability pays for a guarantee that none of its producers
waits for.

The same KIP adds eligible leader replicas (ELR), which new clusters have from 4.1 on: replicas that left the ISR while
it was at its minimum may still become leader, because they have all that readers saw. That makes
`min.insync.replicas` of 2 safer than before, not redundant. Each change of it clears that state. Set it for the topic
or for the whole cluster: with ELR, Kafka refuses a value of a single broker, and does not let you remove that of the
cluster (KT107).

Fix: Set `min.insync.replicas: 1` on a topic that may lose records, or write it with `acks: all`.
"""

KEY = "min.insync.replicas"
# Declared versions without KIP-966, which KT710 reports.
OLDER = ("0.", "1.", "2.", *(f"3.{minor}" for minor in range(7)))


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    if not has_min_isr(cluster) or cluster.kafka.startswith(OLDER):
        return
    min_isr_of = context.index.topic_number(KEY)
    for topic in context.topology.topics.values():
        if (min_isr_of(topic) or 1) < 2 or topic.replication < 2:
            continue
        # KT401 reports one that promises more than at-most-once.
        writers = context.index.clients.writers_of(topic.name)
        if writers and all(writer.needs_no_replicas for writer in writers):
            yield from _problem(context, topic, writers[0])


def _problem(context: Context, topic: Topic, writer: Writer) -> Iterator[Problem]:
    min_isr, acks = context.settings.topic(topic, KEY), writer.acks
    if min_isr is None or acks is None:
        return
    yield problem_with(
        min_isr,
        topic,
        f"{KEY} is {shown(min_isr)}, but {writer.name} writes with acks {acks.value}: with fewer replicas in sync it"
        " goes on writing, and readers see none of it; expected 1, or acks all",
        f"set {KEY} to 1 if records may be lost, or set acks of {writer.name} to all",
        related=(Related(acks.place.location, f"{writer.name} does not wait for replicas"),),
    )


EXAMPLE = changed(CLICKS, {"replication: 3": "replication: 3, config: {min.insync.replicas: 1}"}) + changed(
    TRACKER, {"at-most-once": "at-most-once\n    config: {acks: 1}"}
)

GOOD = (
    EXAMPLE,
    on_cluster('kafka: "3.6"', changed(EXAMPLE, {"min.insync.replicas: 1": "min.insync.replicas: 2"})),
    changed(EXAMPLE, {"min.insync.replicas: 1": "min.insync.replicas: 2", "acks: 1": "acks: all"}),
)
BAD = (
    Bad(changed(EXAMPLE, {"min.insync.replicas: 1": "min.insync.replicas: 2"}), line=3, column=73),
    Bad(
        on_cluster(
            "defaults: {min.insync.replicas: 2}",
            changed(EXAMPLE, {", config: {min.insync.replicas: 1}": "", "acks: 1": "acks: 0"}),
        ),
        line=2,
        column=43,
    ),
)

RULE = rule(DOCS, Severity.ADVICE, check, GOOD, BAD, requirements=("R1", "R16"))
