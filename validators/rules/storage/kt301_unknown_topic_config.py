from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.catalogue import Catalogue
from kafka_topology.topology.kafka.distributions import distributions_with
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import meant, nearest
from kafka_topology.validators.engine.examples import ORDERS_BLOCK, inheriting, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import cluster_name, was_removed
from kafka_topology.validators.engine.rule import Bad, Context, Option, Problem, rule

DOCS = """\
# KT301: unknown-topic-config

A topic has a setting that the declared Kafka version does not have.

Kafka refuses a topic with an unknown setting. The rule also finds names under `cluster.defaults` that are clearly
mistyped, or that are the topic's name for a broker setting: they would look declared without being so. With
`cluster.distribution`, it also knows the settings that only Confluent's, Redpanda's or another's brokers have; the
option `allow` adds more.

Fix: Use the suggested name. `cluster.kafka` declares which version's settings count, and `cluster.distribution` whose.
"""


def check(context: Context) -> Iterator[Problem]:
    known = context.settings.catalogue
    for name, topics in context.index.topics_setting.items():
        if name in known.topic or name in known.broker or _is_allowed(context, name):
            continue  # KT314 reports broker settings
        other = known.in_other_version("topic", name)
        if other is not None and was_removed(known, other):
            continue  # KT313 reports it
        if other is not None and context.is_part:
            continue  # the cluster may run the version that has it
        since = other.since if other is not None else None
        fix = f"use Kafka {since}, or remove it" if since else _fix(known, name)
        for topic in topics:
            yield Problem(
                f"{topic.name}: Kafka {known.version} has no topic setting `{name}`"
                + (f", which was added in {since}" if since else "")
                + "; expected one that exists",
                topic.name_place("config", name),
                topic.name,
                fix,
            )
    yield from _cluster_defaults(context, known)


def _is_allowed(context: Context, name: str) -> bool:
    """Whether the distribution has it, or the option `allow` says so. The brokers of a program may be anybody's."""
    theirs = distributions_with(name)
    declared = context.topology.cluster.distribution
    if theirs and (context.is_part or any(each.name == declared for each in theirs)):
        return True
    return any(name == each or (each.endswith(".") and name.startswith(each)) for each in context.texts("allow"))


def _fix(known: Catalogue, name: str) -> str:
    theirs = distributions_with(name)
    if theirs:
        return f"set cluster.distribution to {' or '.join(each.name for each in theirs)}, or remove it"
    near = nearest(name, known.topic, likeness=0.75)
    if near is not None:
        return f"did you mean `{near}`?"
    for client in ("producer", "consumer"):
        if known.find(client, name) is not None:
            return f"it is a {client} setting: move it to the config of the {client}"
    return "remove it, correct the name, or list it in the rule's option `allow`"


def _cluster_defaults(context: Context, known: Catalogue) -> Iterator[Problem]:
    """Plug-ins have their own settings, so only names that clearly stand for another one count."""
    cluster = context.topology.cluster
    for name in cluster.defaults:
        if name in known.broker or known.in_other_version("broker", name) is not None:
            continue
        topic_key = known.topic.get(name)
        broker_names = [key.name for key in topic_key.broker_keys] if topic_key is not None else []
        right = broker_names[0] if broker_names else meant(name, known.broker)
        if right is not None:
            yield Problem(
                f"{cluster_name(context.topology)}: brokers have no setting `{name}`; expected `{right}`",
                cluster.name_place("defaults", name).location,
                cluster_name(context.topology),
                f"did you mean `{right}`?",
            )


OPTIONS = (
    Option(
        "allow", (), "Topic settings that the brokers have besides Kafka's: names, or prefixes that end with a dot."
    ),
)
GOOD = (
    on_cluster('kafka: "4.1", defaults: {log.retention.ms: 7d}', orders_with("config: {retention.bytes: 1GiB}")),
    on_cluster("distribution: redpanda", orders_with("config: {redpanda.remote.write: true, write.caching: false}")),
    orders_with("config: {acme.tier: hot}") + "rules:\n  KT301: {allow: [acme.]}\n",
)
BAD = (
    Bad(ORDERS_BLOCK + "    config:\n      retention.byte: 1000000\n", line=7, column=7),
    Bad(
        on_cluster('kafka: "3.7"', inheriting("replication: 3, config: {remote.log.copy.disable: true}")),
        line=4,
        column=36,
        needs_whole=True,
    ),
    Bad(orders_with("config: {linger.ms: 5}"), line=3, column=52),
    Bad(orders_with("config: {confluent.value.schema.validation: true}"), line=3, column=52, needs_whole=True),
    Bad(
        on_cluster("distribution: confluent", orders_with("config: {redpanda.remote.write: true}")),
        line=4,
        column=52,
        needs_whole=True,
    ),
    Bad("version: 1\ncluster:\n  defaults:\n    retention.ms: 7d\n", line=4, column=5, needs_whole=True),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, options=OPTIONS, requirements=("R27",), judges_parts=True)
