from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_duration
from kafka_topology.validators.engine.examples import BILLING, ORDERS
from kafka_topology.validators.engine.helpers import shown
from kafka_topology.validators.engine.in_library import refused_by
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.sessions import clashes

DOCS = """\
# KT506: poll-interval-below-session

The poll interval is shorter than the session timeout.

Two timers watch a member: background heartbeats show that the process is alive (`session.timeout.ms`), and polls show
that it makes progress (`max.poll.interval.ms`). Progress takes longer than a heartbeat. If the poll interval is below
the session timeout, a member that is busy with one batch is removed sooner than a dead one. librdkafka does not even
start with such settings: there it is an error.

Fix: Set `max.poll.interval.ms` well above the time that one batch of `max.poll.records` takes.
"""

POLL = "max.poll.interval.ms"


def check(context: Context) -> Iterator[Problem]:
    for clash in clashes(
        context.index.clients,
        lambda reader: reader.number(POLL),
        lambda reader: reader.setting(POLL),
        lambda session, poll: poll >= session,
    ):
        name, session = clash.reader.name, clash.session
        refused = refused_by(clash.reader.declared, "KT506")
        effect = f", with which {refused} does not start" if refused else ""
        yield Problem(
            f"{name}: {POLL} is {shown(clash.other)}, below the {session.name} of {shown(session)}{effect};"
            f" expected at least {format_duration(clash.session_ms)}",
            clash.place,
            name,
            f"raise {POLL} above the longest time that one batch takes, and above the session timeout",
            severity=Severity.ERROR if refused else None,
        )


GOOD = (
    ORDERS
    + """\
consumerGroups:
  billing: {topics: [orders], config: {session.timeout.ms: 10s, max.poll.interval.ms: 5m}}
""",
)
BAD = (
    Bad(
        ORDERS
        + """\
consumerGroups:
  billing: {topics: [orders], config: {session.timeout.ms: 30s, max.poll.interval.ms: 10s}}
""",
        line=5,
        column=87,
    ),
    Bad(
        ORDERS + "streams:\n  summing:\n    reads: [orders]\n    config: {consumer.max.poll.interval.ms: 20s}\n",
        line=7,
        column=45,
    ),
    Bad(ORDERS + BILLING + "    library: librdkafka\n    config: {max.poll.interval.ms: 30s}\n", line=8, column=36),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R23",))
