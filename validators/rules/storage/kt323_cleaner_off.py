from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import named
from kafka_topology.validators.engine.examples import on_cluster, orders_with
from kafka_topology.validators.engine.helpers import cluster_name
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.storage import Storage

DOCS = """\
# KT323: cleaner-off

The brokers run without the log cleaner, so nothing is ever compacted.

With `log.cleaner.enable: false`, compacted topics keep every version of every key and every tombstone, and grow until
the disk is full. That includes Kafka's own `__consumer_offsets`: after a restart, a coordinator reads all of it before
its groups can work.

Fix: Set `log.cleaner.enable: true` on the brokers. It is Kafka's default, and takes effect with a restart.
"""

KEY = "log.cleaner.enable"


def check(context: Context) -> Iterator[Problem]:
    setting = context.settings.broker(KEY)
    if setting is None or not setting.is_declared or setting.is_true:
        return
    storage = Storage(context)
    compacted = [name for name, topic in context.topology.topics.items() if storage.compacts(topic)]
    yield Problem(
        f"{cluster_name(context.topology)}: {KEY} is {setting.value}, so {named([*compacted, '__consumer_offsets'])}"
        " are never compacted and grow until the disk is full; expected true"
        if compacted
        else f"{cluster_name(context.topology)}: {KEY} is {setting.value}, so __consumer_offsets is never compacted and"
        " grows until the disk is full; expected true",
        setting.place.location,
        cluster_name(context.topology),
        f"set {KEY} to true on the brokers",
    )


COMPACTED = orders_with("key: {type: uuid}, config: {cleanup.policy: compact}")

GOOD = (COMPACTED, on_cluster("defaults: {log.cleaner.enable: true}", COMPACTED))
BAD = (
    Bad(on_cluster("defaults: {log.cleaner.enable: false}", COMPACTED), line=2, column=42),
    Bad("version: 1\ncluster: {defaults: {log.cleaner.enable: false}}\n", line=2, column=42),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R28",))
