from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.promises import guarantee_keeps
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import BILLING, ORDERS
from kafka_topology.validators.engine.helpers import own_edit, place_of, problem_with, shown
from kafka_topology.validators.engine.in_library import to_set
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT507: exactly-once-reads-uncommitted

A reader promises exactly-once but also reads uncommitted records.

Records of an aborted transaction stay in the log. With `read_uncommitted`, Kafka's default, a consumer gets them, and
gets them again when the producer repeats the transaction: that is not exactly-once. A Kafka Streams application gets
transactions on both sides with `processing.guarantee: exactly_once_v2`, and none by default.

Fix: Set `isolation.level: read_committed`, or in Kafka Streams `processing.guarantee: exactly_once_v2`.
"""


def check(context: Context) -> Iterator[Problem]:
    for reader in context.index.clients.groups:
        if reader.delivery != "exactly-once" or reader.reads_committed:
            continue
        isolation = reader.isolation
        if isolation is not None:
            yield problem_with(
                isolation,
                reader,
                f"{isolation.name} is {shown(isolation)} with exactly-once delivery; expected read_committed",
                to_set(reader.declared, isolation.name, "read_committed"),
                edit="read_committed",
            )
    for application in context.topology.streams.values():
        guarantee = context.settings.streams(application, "processing.guarantee")
        if guarantee is not None and not guarantee_keeps(application.delivery, guarantee.value):
            yield Problem(
                f"{application.application_id}: processing.guarantee is {shown(guarantee)} with exactly-once"
                " delivery; expected exactly_once_v2",
                place_of(guarantee, application),
                application.application_id,
                "set processing.guarantee to exactly_once_v2",
                edits=own_edit(guarantee, "exactly_once_v2"),
            )


GOOD = (
    ORDERS
    + """\
consumerGroups:
  billing: {topics: [orders], delivery: exactly-once, config: {isolation.level: read_committed}}
streams:
  summing: {reads: [orders], delivery: exactly-once, config: {processing.guarantee: exactly_once_v2}}
""",
)
BAD = (
    Bad(ORDERS + BILLING + "    delivery: exactly-once\n", line=5, column=3),
    Bad(
        ORDERS
        + """\
consumerGroups:
  billing: {topics: [orders], delivery: exactly-once, config: {isolation.level: read_uncommitted}}
""",
        line=5,
        column=81,
    ),
    Bad(
        ORDERS
        + """\
streams:
  summing: {reads: [orders], delivery: exactly-once, config: {processing.guarantee: at_least_once}}
""",
        line=5,
        column=85,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R18",))
