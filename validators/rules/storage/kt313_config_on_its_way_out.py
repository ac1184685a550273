from __future__ import annotations

from collections.abc import Iterator

from ...topology.catalogue import Catalogue, Scope
from ...topology.findings import Severity
from ..helpers import cluster_name, was_removed
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    known = context.settings.catalogue
    for name, topics in context.index.topics_setting.items():
        if name not in known.topic and name in known.broker:
            continue  # KT314 speaks of the brokers' own
        found = _fate(known, "topic", name)
        for topic in topics if found else ():
            yield Problem(
                f"{topic.name}: topic config {name} {found}; expected one that stays",
                topic.place("config", name),
                topic.name,
                f"remove {name}",
            )
    cluster = context.topology.cluster
    for name in cluster.defaults:
        found = _fate(known, "broker", name)
        if found:
            yield Problem(
                f"{cluster_name(context.topology)}: broker config {name} {found}; expected one that stays",
                cluster.place("defaults", name).location,
                cluster_name(context.topology),
                f"remove {name}",
            )


def _fate(known: Catalogue, scope: Scope, name: str) -> str:
    key = known.scope(scope).get(name)
    if key is not None:
        return f"is deprecated in Kafka {known.version}" if key.deprecated else ""
    other = known.in_other_version(scope, name)
    if other is None or not was_removed(known, other):
        return ""
    return f"is gone since Kafka {other.removed}, and the cluster runs {known.version}"


RULE = Rule(
    id="KT313",
    name="config-on-its-way-out",
    severity=Severity.WARNING,
    summary="A config that the declared Kafka version has removed or deprecated.",
    why="""\
A deprecated config stops working at the next upgrade. One that is removed makes Kafka refuse the topic, or makes a
broker ignore it.""",
    fix="Remove the config, or use what has replaced it.",
    requirements=("R27",),
    check=check,
    good=(
        """\
version: 1
cluster: {kafka: "4.1"}
topics:
  orders: {partitions: 6, replication: 3, config: {message.timestamp.after.max.ms: 1h}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
cluster: {kafka: "4.1"}
topics:
  orders: {partitions: 6, replication: 3, config: {message.format.version: "3.0"}}
""",
            line=4,
            column=76,
        ),
        Bad(
            """\
version: 1
cluster: {kafka: "3.9"}
profiles:
  event: {replication: 3, config: {message.timestamp.difference.max.ms: 1h}}
topics:
  orders: {profile: event, partitions: 6}
""",
            line=4,
            column=73,
        ),
        Bad(
            """\
version: 1
cluster:
  kafka: "4.1"
  defaults: {log.message.format.version: "3.0"}
""",
            line=4,
            column=42,
        ),
    ),
)
