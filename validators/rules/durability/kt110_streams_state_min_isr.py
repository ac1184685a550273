from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import counted
from kafka_topology.validators.engine.examples import ORDERS, SUMMING, changed, on_cluster
from kafka_topology.validators.engine.helpers import has_min_isr, place_of, related
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT110: streams-state-min-isr

The internal topics of a Kafka Streams application need all their replicas in sync.

Kafka Streams writes its changelog and repartition topics with `acks=all`. If `min.insync.replicas` is not below their
replication, one restarting broker stops these writes, and the application with them. The topics get
`topic.min.insync.replicas` of the application, or else the brokers' default.

Fix: Replicate the internal topics 3 times with `min.insync.replicas: 2`.
"""

KEY, BROKER_KEY = "topic.min.insync.replicas", "min.insync.replicas"


def check(context: Context) -> Iterator[Problem]:
    if not has_min_isr(context.topology.cluster):
        return
    broker_replicas = context.settings.broker("default.replication.factor")
    broker = context.settings.broker(BROKER_KEY)
    for name, application in context.topology.streams.items():
        replication = context.settings.internal_replication(application)
        if replication is not None and replication.number == -1:
            replication = broker_replicas if broker_replicas is not None and broker_replicas.is_declared else None
        own = context.settings.streams(application, KEY)
        min_isr = own if own is not None else broker
        if replication is None or min_isr is None or replication.number is None or min_isr.number is None:
            continue
        if replication.number <= 1 or min_isr.number < replication.number:
            continue  # KT109 reports a single replica
        lower = max(replication.number - 1, 1)
        yield Problem(
            f"{name}: its internal topics have {counted(replication.number, 'replica')} and {BROKER_KEY} of"
            f" {min_isr.number}, so one lost broker stops the application; expected at most {lower}",
            place_of(min_isr, application) if own is not None else place_of(replication, application),
            name,
            f"set {KEY} to {lower}" + _or_more_replicas(context, min_isr.number + 1),
            related=related(broker, "the default of the brokers") if own is None and broker is not None else (),
        )


def _or_more_replicas(context: Context, replicas: int) -> str:
    brokers = context.topology.cluster.brokers
    return (
        ""
        if brokers is not None and replicas > len(brokers)
        else f", or replicate the internal topics {replicas} times"
    )


EXAMPLE = on_cluster(
    "brokers: 3, defaults: {min.insync.replicas: 2}", ORDERS + SUMMING + "    internalTopics: {replication: 3}\n"
)

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"internalTopics: {replication: 3}": "internalTopics: {replication: 2}"}), line=10, column=35),
    Bad(EXAMPLE + "    config: {topic.min.insync.replicas: 3}\n", line=11, column=41),
    Bad(
        on_cluster("brokers: 3, defaults: {min.insync.replicas: 2, default.replication.factor: 2}", ORDERS + SUMMING),
        line=2,
        column=86,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R1",))
