from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import own_edit
from ..rule import Bad, Context, Problem, Rule

KEY = "unclean.leader.election.enable"


def check(context: Context) -> Iterator[Problem]:
    value_of = context.index.topic_text(KEY)
    for topic in context.topology.topics.values():
        if value_of(topic) != "true":
            continue
        setting = context.settings.topic(topic, KEY)
        if setting is not None:
            yield Problem(
                f"{topic.name}: {KEY} is true, so a replica that lags may become leader and drop acknowledged records;"
                " expected false",
                setting.place,
                topic.name,
                f"set {KEY} to false",
                edits=own_edit(setting, "false"),
            )


RULE = Rule(
    id="KT106",
    name="unclean-leader-election",
    severity=Severity.WARNING,
    summary="A replica that is not in sync may become leader.",
    why="""\
When all replicas in sync are gone, Kafka waits for one of them. With `unclean.leader.election.enable` it takes any
replica instead: the topic is available at once, and every record that this replica lacks is lost for all, even those
that were written with `acks=all`.""",
    fix="Leave `unclean.leader.election.enable` at false. Where being available matters more, ignore the rule.",
    requirements=("R1", "R16"),
    check=check,
    good=("version: 1\ntopics:\n  orders: {partitions: 6, replication: 3}\n",),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
    config:
      unclean.leader.election.enable: true
""",
            line=7,
            column=39,
        ),
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
        ),
    ),
)
