from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ...topology.model import Limits
from ..helpers import cluster_name, shown
from ..rule import Bad, Context, Problem, Rule

KEY = "auto.create.topics.enable"


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    described = cluster.name or cluster.brokers or cluster.controllers or cluster.defaults or cluster.limits != Limits()
    setting = context.settings.broker(KEY)
    if not described or setting is None or not setting.is_true:
        return
    name = cluster_name(context.topology)
    yield Problem(
        f"{name}: {KEY} is {shown(setting)}, so a mistyped name becomes a topic; expected false",
        setting.place.location,
        name,
        f"set {KEY} to false on the brokers, and declare it under cluster.defaults",
    )


RULE = Rule(
    id="KT707",
    name="topics-created-automatically",
    severity=Severity.WARNING,
    summary="The brokers create any topic that a client names.",
    why="""\
Kafka's default creates a missing topic at the first request, with the brokers' defaults: one partition, one replica.
A slip in a name then loses records in silence instead of failing, and the topic is in no file.""",
    fix="Set `auto.create.topics.enable` to false on the brokers, and declare that under `cluster.defaults`.",
    requirements=("R2", "R35"),
    check=check,
    good=(
        """\
version: 1
cluster:
  brokers: 3
  defaults: {auto.create.topics.enable: false}
""",
        "version: 1\ntopics:\n  orders: {partitions: 6, replication: 3}\n",
    ),
    bad=(
        Bad(
            """\
version: 1
cluster:
  brokers: 3
  defaults: {auto.create.topics.enable: true}
""",
            line=4,
            column=41,
        ),
        Bad(
            """\
version: 1
cluster:
  brokers: 3
""",
            line=2,
            column=1,
        ),
    ),
)
