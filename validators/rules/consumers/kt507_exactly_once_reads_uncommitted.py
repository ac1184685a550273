from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import own_edit, place_of, shown
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for reader in context.index.clients.groups:
        if reader.delivery != "exactly-once" or reader.reads_committed:
            continue
        isolation = reader.setting("isolation.level")
        if isolation is not None:
            yield Problem(
                f"{reader.name}: isolation.level is {shown(isolation)} with exactly-once delivery;"
                " expected read_committed",
                place_of(isolation, reader.declared),
                reader.name,
                "set isolation.level to read_committed",
                edits=own_edit(isolation, "read_committed"),
            )
    for application in context.topology.streams.values():
        if application.delivery != "exactly-once":
            continue
        guarantee = context.settings.streams(application, "processing.guarantee")
        if guarantee is not None and not guarantee.value.startswith("exactly_once"):
            yield Problem(
                f"{application.application_id}: processing.guarantee is {shown(guarantee)} with exactly-once delivery;"
                " expected exactly_once_v2",
                place_of(guarantee, application),
                application.application_id,
                "set processing.guarantee to exactly_once_v2",
                edits=own_edit(guarantee, "exactly_once_v2"),
            )


RULE = Rule(
    id="KT507",
    name="exactly-once-reads-uncommitted",
    severity=Severity.ERROR,
    summary="A reader promises exactly once and does not read committed records only.",
    why="""\
Records of an aborted transaction stay in the log. With `read_uncommitted`, Kafka's default, a consumer gets them, and
gets them again when the producer repeats the transaction: that is not exactly once. A Kafka Streams application gets
transactions on both sides from `processing.guarantee: exactly_once_v2`, and has none by default.""",
    fix="Set `isolation.level: read_committed`, in Kafka Streams `processing.guarantee: exactly_once_v2`.",
    requirements=("R18",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], delivery: exactly-once, config: {isolation.level: read_committed}}
streams:
  summing: {reads: [orders], delivery: exactly-once, config: {processing.guarantee: exactly_once_v2}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing:
    topics: [orders]
    delivery: exactly-once
""",
            line=5,
            column=3,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], delivery: exactly-once, config: {isolation.level: read_uncommitted}}
""",
            line=5,
            column=81,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
streams:
  summing: {reads: [orders], delivery: exactly-once, config: {processing.guarantee: at_least_once}}
""",
            line=5,
            column=85,
        ),
    ),
)
