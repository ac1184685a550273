from __future__ import annotations

from collections.abc import Iterator

from ...topology.catalogue import Catalogue, nearest
from ...topology.findings import Severity
from ...topology.places import Layer, Place
from ..helpers import cluster_name, was_removed
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    known = context.settings.catalogue
    for name, topics in context.index.topics_setting.items():
        if name in known.topic or name in known.broker:
            continue  # KT314 speaks of the brokers' own
        other = known.in_other_version("topic", name)
        if other is not None and was_removed(known, other):
            continue  # KT313 speaks of that
        since = other.since if other is not None else None
        remedy = f"use Kafka {since}, or remove it" if since else _remedy(known, name)
        for topic in topics:
            yield Problem(
                f"{topic.name}: Kafka {known.version} has no topic config `{name}`"
                + (f", it came with {since}" if since else "")
                + "; expected one that it has",
                topic.place("config", name),
                topic.name,
                remedy,
            )
    yield from _cluster_defaults(context, known)


def _remedy(known: Catalogue, name: str) -> str:
    near = nearest(name, known.topic)
    if near is not None:
        return f"did you mean `{near}`?"
    for client in ("producer", "consumer"):
        if known.find(client, name) is not None:
            return f"it is a {client}'s setting: move it to the config of the {client}"
    return "remove it, or mend the name"


def _cluster_defaults(context: Context, known: Catalogue) -> Iterator[Problem]:
    """Plug-ins have settings of their own, so only what is surely meant to be another one counts."""
    cluster = context.topology.cluster
    for name in cluster.defaults:
        if name in known.broker or known.in_other_version("broker", name) is not None:
            continue
        topic_key = known.topic.get(name)
        broker_names = [key.name for key in topic_key.broker_keys] if topic_key is not None else []
        meant = broker_names[0] if broker_names else nearest(name, known.broker)
        if meant is not None:
            yield Problem(
                f"{cluster_name(context.topology)}: brokers have no config `{name}`; expected `{meant}`",
                Place(Layer.RESOURCE, cluster.place("defaults", name).location),
                cluster_name(context.topology),
                f"did you mean `{meant}`?",
            )


RULE = Rule(
    id="KT301",
    name="unknown-topic-config",
    severity=Severity.ERROR,
    summary="A topic config that the declared Kafka version does not have.",
    why="""\
Kafka refuses a topic with a config that it does not know. Names under `cluster.defaults` that are surely mistyped, or
that are a topic's name for a broker's setting, are found as well: they would be taken for declared and not be.""",
    fix="Use the suggested name. `cluster.kafka` says which version's configs count.",
    requirements=("R27",),
    check=check,
    good=(
        """\
version: 1
cluster: {kafka: "4.1", defaults: {log.retention.ms: 7d}}
topics:
  orders: {partitions: 6, replication: 3, config: {retention.bytes: 1GiB}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
    config:
      retention.byte: 1000000
""",
            line=7,
            column=23,
        ),
        Bad(
            """\
version: 1
cluster: {kafka: "3.7"}
profiles:
  event: {replication: 3, config: {remote.log.copy.disable: true}}
topics:
  orders: {profile: event, partitions: 6}
""",
            line=4,
            column=61,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {linger.ms: 5}}
""",
            line=3,
            column=63,
        ),
        Bad(
            """\
version: 1
cluster:
  defaults:
    retention.ms: 7d
""",
            line=4,
            column=19,
        ),
    ),
)
