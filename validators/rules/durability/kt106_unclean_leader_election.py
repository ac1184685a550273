from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import kafka_true
from kafka_topology.validators.engine.examples import ORDERS, ORDERS_BLOCK, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import cluster_name, own_edit
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT106: unclean-leader-election

A replica that is not in sync can become leader.

When no in-sync replica is available, Kafka waits for one to return. With `unclean.leader.election.enable`, any
replica becomes leader instead: the topic is available at once, but every record that this replica has not copied is
lost for everyone, even records written with `acks=all`.

Eligible leader replicas (KIP-966, on by default in new clusters from Kafka 4.1 on) remove the usual reason for it: when
the last in-sync replica is gone, a replica that is known to have every acknowledged record may lead. That needs
`min.insync.replicas` of 2 or more. `unclean.leader.election.enable` still allows any other replica after that.

Kafka's default is false. That of Amazon MSK is true, except on clusters with tiered storage.

Fix: Leave `unclean.leader.election.enable` at false. If availability matters more, suppress the rule.
"""

KEY = "unclean.leader.election.enable"


def check(context: Context) -> Iterator[Problem]:
    if not context.topology.topics and not context.is_part:
        yield from _of_all(context)
    value_of = context.index.topic_text(KEY)
    yield from _of_msk(context)
    for topic in context.topology.topics.values():
        if not kafka_true(value_of(topic)):
            continue
        setting = context.settings.topic(topic, KEY)
        if setting is not None:
            yield Problem(
                f"{topic.name}: {KEY} is true, so a lagging replica can become leader and drop acknowledged"
                " records; expected false",
                setting.place,
                topic.name,
                f"set {KEY} to false",
                edits=own_edit(setting, "false"),
            )


def _of_msk(context: Context) -> Iterator[Problem]:
    """The default of Amazon MSK, which is not Kafka's, unless the cluster has tiered storage."""
    cluster, topics = context.topology.cluster, context.topology.topics.values()
    tiered = context.index.topic_text("remote.storage.enable")
    if cluster.distribution != "msk" or KEY in cluster.defaults or any(kafka_true(tiered(each)) for each in topics):
        return
    if any(KEY not in topic.config for topic in topics):
        name = cluster_name(context.topology)
        yield Problem(
            f"{name}: {KEY} is not declared, and Amazon MSK's default is true, so a lagging replica can become leader"
            " and drop acknowledged records; expected false",
            cluster.place("distribution"),
            name,
            f"set {KEY} to false in the MSK configuration, and declare it under cluster.defaults",
        )


def _of_all(context: Context) -> Iterator[Problem]:
    """The default of the brokers in a file without topics: those of all other files get it."""
    setting, name = context.settings.broker(KEY), cluster_name(context.topology)
    if setting is not None and setting.is_declared and kafka_true(setting.value):
        yield Problem(
            f"{name}: {KEY} is true for every topic that does not set it, so a lagging replica can become leader and"
            " drop acknowledged records; expected false",
            setting.place,
            name,
            f"set {KEY} to false",
            edits=own_edit(setting, "false"),
        )


GOOD = (
    ORDERS,
    on_cluster("brokers: 3, distribution: msk, defaults: {unclean.leader.election.enable: false}", ORDERS),
    on_cluster("brokers: 3, distribution: msk", orders_with("config: {remote.storage.enable: true}")),
)
BAD = (
    Bad(ORDERS_BLOCK + "    config:\n      unclean.leader.election.enable: true\n", line=7, column=39),
    Bad(orders_with('config: {unclean.leader.election.enable: " TRUE "}'), line=3, column=84),
    Bad(
        """\
version: 1
cluster:
  defaults:
    unclean.leader.election.enable: true
topics:
  orders: {partitions: 6, replication: 3}
""",
        line=4,
        column=37,
        needs_whole=True,
    ),
    Bad(f"version: 1\ncluster: {{defaults: {{{KEY}: true}}}}\n", line=2, column=54, needs_whole=True),
    Bad(on_cluster("brokers: 3, distribution: msk", ORDERS), line=2, column=37, needs_whole=True),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R1", "R16"), judges_parts=True)
