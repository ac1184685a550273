from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.distributions import DISTRIBUTIONS
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, on_cluster
from kafka_topology.validators.engine.helpers import cluster_name, is_described, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT707: topics-created-automatically

The brokers create any topic that a client asks for.

By default, Kafka creates a missing topic at the first request, with the brokers' defaults: one partition, one
replica. A typo in a name then silently loses records instead of failing, and no file declares the topic. Brokers of
another `cluster.distribution` have defaults of their own: Amazon MSK creates none, and for the others the rule only
advises to declare the value.

Fix: Set `auto.create.topics.enable` to false on the brokers, and declare that under `cluster.defaults`.
"""

KEY = "auto.create.topics.enable"


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    setting = context.settings.broker(KEY)
    if not is_described(cluster) or setting is None or not setting.is_true:
        return
    name = cluster_name(context.topology)
    if not setting.is_declared and cluster.distribution != "apache":
        if cluster.distribution != "msk":
            title = DISTRIBUTIONS[cluster.distribution].title
            yield Problem(
                f"{name}: {KEY} is not declared, and the default of {title} is not known here; expected false",
                setting.place.location,
                name,
                f"declare {KEY} of the brokers under cluster.defaults",
                severity=Severity.ADVICE,
            )
        return
    yield Problem(
        f"{name}: {KEY} is {shown(setting)}, so a mistyped name creates a topic; expected false",
        setting.place.location,
        name,
        f"set {KEY} to false on the brokers, and declare it under cluster.defaults",
    )


GOOD = (
    on_cluster("brokers: 3, distribution: msk", ORDERS),
    "version: 1\ncluster:\n  brokers: 3\n  defaults: {auto.create.topics.enable: false}\n",
    ORDERS,
)
BAD = (
    Bad("version: 1\ncluster:\n  brokers: 3\n  defaults: {auto.create.topics.enable: true}\n", line=4, column=41),
    Bad("version: 1\ncluster:\n  brokers: 3\n", line=2, column=1),
    Bad("version: 1\ncluster:\n  brokers: 3\n  distribution: redpanda\n", line=2, column=1),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R2", "R35"))
