from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ...topology.units import format_duration
from ..client_roles import Reader
from ..helpers import own_edit, place_of, shown
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for reader in context.index.clients.readers:
        if reader.is_standalone or _is_fine(reader):
            continue
        session = reader.session_setting("session.timeout.ms")
        heartbeat = reader.session_setting("heartbeat.interval.ms")
        if session is None or session.number is None or heartbeat is None or heartbeat.number is None:
            continue
        most = format_duration(session.number // 3)
        at = heartbeat if heartbeat.is_declared or not session.is_declared else session
        yield Problem(
            f"{reader.name}: {heartbeat.name} is {shown(heartbeat)} with a {session.name} of {shown(session)};"
            f" expected at most a third, {most}",
            place_of(at, reader.declared),
            reader.name,
            f"set {heartbeat.name} to {most} or less, or {session.name} to"
            f" {format_duration(heartbeat.number * 3)} or more",
            edits=own_edit(heartbeat, most) if at is heartbeat else (),
        )


def _is_fine(reader: Reader) -> bool:
    session = reader.session_number("session.timeout.ms")
    heartbeat = reader.session_number("heartbeat.interval.ms")
    return session is None or heartbeat is None or heartbeat * 3 <= session


RULE = Rule(
    id="KT504",
    name="heartbeat-too-slow",
    severity=Severity.ERROR,
    summary="The heartbeat interval is above a third of the session timeout.",
    why="""\
A member is thrown out when no heartbeat arrives within the session timeout. With three heartbeats per session, two may
be lost on the way. With fewer, one lost packet or one pause of the garbage collector takes the partitions away and
makes the whole group rebalance.""",
    fix="Set `heartbeat.interval.ms` to a third of `session.timeout.ms` or less.",
    requirements=("R23",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], config: {session.timeout.ms: 10s, heartbeat.interval.ms: 3s}}
  audit: {topics: [orders], config: {group.protocol: consumer}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], config: {session.timeout.ms: 10s, heartbeat.interval.ms: 5s}}
""",
            line=5,
            column=88,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], config: {session.timeout.ms: 8s}}
""",
            line=5,
            column=60,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing:
    topics: [orders]
    config: {group.protocol: consumer}
    groupConfig:
      consumer.session.timeout.ms: 45s
      consumer.heartbeat.interval.ms: 20s
""",
            line=10,
            column=39,
        ),
    ),
)
