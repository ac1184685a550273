from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_duration
from kafka_topology.validators.engine.examples import BILLING, ORDERS, changed
from kafka_topology.validators.engine.helpers import own_edit, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.sessions import Clash, clashes

DOCS = """\
# KT504: heartbeat-too-slow

The heartbeat interval is above a third of the session timeout.

A member is removed from the group if no heartbeat arrives within the session timeout. With three heartbeats per
session, two can get lost. With fewer, one lost packet or one garbage collection pause takes the member's partitions
away and makes the whole group rebalance.

Fix: Set `heartbeat.interval.ms` to a third of `session.timeout.ms` or less.
"""

HEARTBEAT = "heartbeat.interval.ms"


def check(context: Context) -> Iterator[Problem]:
    for clash in clashes(
        context.index.clients,
        lambda reader: reader.session_number(HEARTBEAT),
        lambda reader: reader.session_setting(HEARTBEAT),
        lambda session, heartbeat: heartbeat * 3 <= session,
    ):
        name, session, heartbeat = clash.reader.name, clash.session, clash.other
        most, least = format_duration(clash.session_ms // 3), format_duration(clash.other_ms * 3)
        yield Problem(
            f"{name}: {heartbeat.name} is {shown(heartbeat)} with a {session.name} of {shown(session)};"
            f" expected at most a third, {most}",
            clash.place,
            name,
            f"set {heartbeat.name} to {most} or less, or {session.name} to {least} or more",
            edits=own_edit(heartbeat, most) if clash.at is heartbeat and not _is_refused(context, clash) else (),
        )


def _is_refused(context: Context, clash: Clash) -> bool:
    """Whether the brokers refuse a third of this session as the heartbeat of a group; KT505 reports such a session."""
    least = context.settings.broker(f"group.{clash.other.name.replace(HEARTBEAT, '')}min.{HEARTBEAT}")
    return least is not None and clash.session_ms // 3 < (least.number or 0)


EXAMPLE = (
    ORDERS
    + """\
consumerGroups:
  billing: {topics: [orders], config: {session.timeout.ms: 10s, heartbeat.interval.ms: 5s}}
"""
)

GOOD = (
    ORDERS
    + """\
consumerGroups:
  billing: {topics: [orders], config: {session.timeout.ms: 10s, heartbeat.interval.ms: 3s}}
  audit: {topics: [orders], config: {group.protocol: consumer}}
""",
)
BAD = (
    Bad(EXAMPLE, line=5, column=88),
    Bad(
        changed(EXAMPLE, {"session.timeout.ms: 10s, heartbeat.interval.ms: 5s": "session.timeout.ms: 8s"}),
        line=5,
        column=60,
    ),
    Bad(
        ORDERS
        + BILLING
        + """\
    config: {group.protocol: consumer}
    groupConfig:
      consumer.session.timeout.ms: 45s
      consumer.heartbeat.interval.ms: 20s
""",
        line=10,
        column=39,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R23",))
