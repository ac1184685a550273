from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import StreamsApplication
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, SUMMING, changed, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT109: streams-state-replicated-once

The internal topics of a Kafka Streams application have only one replica.

Streams creates a changelog topic for each state store, and repartition topics for joins and aggregations. With one
replica, a lost disk loses the state that was computed over months, and a stopped broker stops the application. Their
replication is `replication.factor` of the application, which `internalTopics.replication` stands for. By default that
is the brokers' `default.replication.factor`, which is 1 unless somebody sets it: if there are several brokers
and their value is not declared, the finding is a warning.

Fix: Set `internalTopics.replication` or `replication.factor` to 3 on the application, or declare
`default.replication.factor: 3` under `cluster.defaults`.
"""

KEY, BROKER_KEY = "replication.factor", "default.replication.factor"
_AS_BROKER = -1


def check(context: Context) -> Iterator[Problem]:
    brokers = len(context.topology.cluster.brokers or ())
    wanted = min(3, brokers or 3)
    for application in context.topology.streams.values():
        own = context.settings.internal_replication(application)
        number = own.number if own is not None else None
        if own is None or number is None or brokers == 1:
            continue  # KT701 reports a single broker
        if number == 1:
            yield Problem(
                f"{application.application_id}: {own.name} is 1, so a failed disk loses the state of the application;"
                f" expected {wanted}",
                own.place,
                application.application_id,
                f"set {own.name} to {wanted}, and raise the replication of the internal topics that already exist",
            )
        elif number == _AS_BROKER:
            yield from _as_broker(context, application, wanted, described=brokers > 1)


def _as_broker(context: Context, application: StreamsApplication, wanted: int, *, described: bool) -> Iterator[Problem]:
    broker = context.settings.broker(BROKER_KEY)
    if broker is None or broker.number != 1 or not (broker.is_declared or described):
        return
    name = application.application_id
    whose = "" if broker.is_declared else ", which is not declared (Kafka's is 1)"
    yield Problem(
        f"{name}: its internal topics get the brokers' {BROKER_KEY}{whose or ' of 1'}; expected {wanted}",
        application.place(),
        name,
        f"set {KEY} of {name} to {wanted}, or declare {BROKER_KEY}: {wanted} under cluster.defaults",
        severity=None if broker.is_declared else Severity.WARNING,
    )


EXAMPLE = on_cluster("brokers: 3", ORDERS + SUMMING + "    config: {replication.factor: 3}\n")
INTERNAL = "    internalTopics: {replication: 3}\n"

GOOD = (
    EXAMPLE,
    on_cluster("brokers: 3, defaults: {default.replication.factor: 3}", ORDERS + SUMMING),
    ORDERS + SUMMING,
    on_cluster("brokers: 3, defaults: {default.replication.factor: 1}", ORDERS + SUMMING + INTERNAL),
)
BAD = (
    Bad(changed(EXAMPLE, {"replication.factor: 3": "replication.factor: 1"}), line=10, column=34),
    Bad(on_cluster("brokers: 3", ORDERS + SUMMING), line=7, column=3),
    Bad(on_cluster("defaults: {default.replication.factor: 1}", ORDERS + SUMMING), line=7, column=3),
    Bad(
        on_cluster("brokers: 3", ORDERS + SUMMING + changed(INTERNAL, {"replication: 3": "replication: 1"})),
        line=10,
        column=35,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R2", "R35"))
