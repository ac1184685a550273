from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ...topology.units import format_duration
from ..client_roles import Reader
from ..helpers import place_of, shown
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for reader in context.index.clients.readers:
        if reader.is_standalone or _is_fine(reader):
            continue
        session = reader.session_setting("session.timeout.ms")
        poll = reader.setting("max.poll.interval.ms")
        if session is None or session.number is None or poll is None or poll.number is None:
            continue
        at = poll if poll.is_declared or not session.is_declared else session
        yield Problem(
            f"{reader.name}: max.poll.interval.ms is {shown(poll)}, below the {session.name} of {shown(session)};"
            f" expected at least {format_duration(session.number)}",
            place_of(at, reader.declared),
            reader.name,
            "raise max.poll.interval.ms above the longest time one batch takes, and above the session timeout",
        )


def _is_fine(reader: Reader) -> bool:
    session, poll = reader.session_number("session.timeout.ms"), reader.number("max.poll.interval.ms")
    return session is None or poll is None or poll >= session


RULE = Rule(
    id="KT506",
    name="poll-interval-below-session",
    severity=Severity.WARNING,
    summary="The poll interval is shorter than the session timeout.",
    why="""\
Two clocks watch a member: heartbeats, sent from the background, show that the process lives (`session.timeout.ms`), and
polls show that it makes progress (`max.poll.interval.ms`). Progress takes longer than a sign of life. With the poll
interval below the session timeout, a member that is busy with one batch is thrown out sooner than one that is dead.""",
    fix="Set `max.poll.interval.ms` well above the time that one batch of `max.poll.records` takes.",
    requirements=("R23",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], config: {session.timeout.ms: 10s, max.poll.interval.ms: 5m}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], config: {session.timeout.ms: 30s, max.poll.interval.ms: 10s}}
""",
            line=5,
            column=87,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
streams:
  summing:
    reads: [orders]
    config: {consumer.max.poll.interval.ms: 20s}
""",
            line=7,
            column=45,
        ),
    ),
)
