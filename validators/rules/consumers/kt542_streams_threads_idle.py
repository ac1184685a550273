from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.effective import EffectiveSettings
from kafka_topology.topology.model.declared import StreamsApplication, Topology
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import counted
from kafka_topology.validators.engine.examples import ORDERS, RETURNS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT542: streams-threads-idle

A streams application has far more threads than its topics can keep busy.

Kafka Streams divides its work into tasks: each part of the application has as many as the input with the most
partitions, so all parts together have at most the sum of all partitions that the application reads. A thread without a
task does nothing but join every rebalance. The file does not show repartition topics that are not declared, which add
tasks, so the rule reports only more than twice as many threads as it can count tasks, as an advice. Standby replicas
(`num.standby.replicas`) keep further threads busy and are counted, and so are repartition topics that the file names.

Fix: Lower `instances` or `threads`, or raise the partitions of the inputs before there is data.
"""

# Repartition topics that nobody declares add tasks: only more threads than this many times the tasks are reported.
FACTOR = 2


def check(context: Context) -> Iterator[Problem]:
    for app in context.topology.streams.values():
        threads, tasks = app.members, _most_tasks(context.topology, app, context.settings)
        if threads is None or tasks is None or threads <= FACTOR * tasks:
            continue
        field = "threads" if app.threads is not None and app.threads > 1 else "instances"
        yield Problem(
            f"{app.name}: it runs {threads} threads, but its declared inputs have tasks for {tasks} at most, unless it"
            f" has repartition topics that the file does not name; expected about {tasks}",
            app.place(field),
            app.name,
            f"run {counted(tasks, 'thread')} or fewer in all instances, or declare the topics that keep more of them"
            " busy",
        )


def _most_tasks(topology: Topology, app: StreamsApplication, settings: EffectiveSettings) -> int | None:
    """At most so many tasks follow from what is declared; None if a topic is not declared."""
    if any(name not in topology.topics for name in app.reads):
        return None
    prefix = f"{app.application_id}-"
    listed = app.internal_topics.topics if app.internal_topics is not None else ()
    repartitioned = {n for n in (*topology.topics, *listed) if n.startswith(prefix) and n.endswith("-repartition")}
    usual = max((topology.topics[name].partitions for name in app.reads), default=1)  # as Streams creates them
    counts = [topology.topics[n].partitions if n in topology.topics else usual for n in {*app.reads, *repartitioned}]
    standby = settings.streams(app, "num.standby.replicas")
    copies = 1 + max(0, (standby.number or 0) if standby is not None else 0)
    return copies * sum(counts)


EXAMPLE = ORDERS + "streams:\n  summing: {reads: [orders], instances: 2, threads: 3}\n"

GOOD = (
    EXAMPLE,
    changed(EXAMPLE, {"threads: 3": "threads: 6"}),
    changed(EXAMPLE, {"threads: 3": "threads: 12, config: {num.standby.replicas: 1}"}),
    ORDERS + RETURNS + "streams:\n  summing: {reads: [orders, returns], instances: 2, threads: 12}\n",
    changed(EXAMPLE, {"threads: 3": "threads: 12, internalTopics: {topics: [summing-by-day-repartition]}"}),
)
BAD = (
    Bad(changed(EXAMPLE, {"threads: 3": "threads: 60"}), line=5, column=53),
    Bad(changed(EXAMPLE, {"instances: 2, threads: 3": "instances: 1000"}), line=5, column=41),
)

RULE = rule(DOCS, Severity.ADVICE, check, GOOD, BAD, requirements=("R5", "R4"))
