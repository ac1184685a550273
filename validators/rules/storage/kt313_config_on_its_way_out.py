from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.catalogue import Catalogue, Scope
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import changed, inheriting, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import cluster_name, was_removed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT313: config-on-its-way-out

A setting is removed or deprecated in the declared Kafka version.

A deprecated setting stops working in a later upgrade: a warning. Kafka refuses a topic with a removed one: an error. A
broker ignores a removed one, so it has no effect: a warning.

Fix: Remove the setting, or use its replacement.
"""


def check(context: Context) -> Iterator[Problem]:
    known = context.settings.catalogue
    for name, topics in context.index.topics_setting.items():
        if name not in known.topic and name in known.broker:
            continue  # KT314 reports broker settings
        found = _fate(known, "topic", name)
        for topic in topics if found else ():
            yield Problem(
                f"{topic.name}: topic setting {name} {found}; expected one that stays",
                topic.name_place("config", name),
                topic.name,
                f"remove {name}",
                severity=Severity.ERROR if name not in known.topic else None,
            )
    cluster = context.topology.cluster
    for name in cluster.defaults:
        found = _fate(known, "broker", name)
        if found:
            yield Problem(
                f"{cluster_name(context.topology)}: broker setting {name} {found}; expected one that stays",
                cluster.name_place("defaults", name).location,
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
    return f"was removed in Kafka {other.removed}, and the cluster runs {known.version}"


EXAMPLE = on_cluster('kafka: "4.1"', orders_with("config: {message.timestamp.after.max.ms: 1h}"))

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"message.timestamp.after.max.ms: 1h": 'message.format.version: "3.0"'}), line=4, column=52),
    Bad(
        on_cluster('kafka: "3.9"', inheriting("replication: 3, config: {message.timestamp.difference.max.ms: 1h}")),
        line=4,
        column=36,
    ),
    Bad(
        """\
version: 1
cluster:
  kafka: "4.1"
  defaults: {log.message.format.version: "3.0"}
""",
        line=4,
        column=14,
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R27",))
