from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.libraries import given
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_duration
from kafka_topology.validators.engine.examples import BILLING, ORDERS, changed
from kafka_topology.validators.engine.helpers import problem_with, shown
from kafka_topology.validators.engine.rule import Bad, Context, Option, Problem, rule

DOCS = """\
# KT524: static-member-short-session

A group has static members, but a session timeout that is shorter than a restart.

A static member keeps its partitions while it restarts, if it is back within the session timeout. If not, the group
rebalances as if it were dynamic, twice: when the session ends and when the member returns. Static ids (KIP-345) are
worth their cost only if the session is longer than a deployment takes. In turn, the partitions of a member that is
really dead stay unread for just as long.

Fix: Set the session timeout above the time that one member takes to restart, or remove the static ids.
"""


def check(context: Context) -> Iterator[Problem]:
    shortest = context.amount("shortest")
    for reader in context.index.clients.groups:
        group = reader.group
        if group is None or reader.is_standalone or not (group.instances or "group.instance.id" in given(group)):
            continue
        number = reader.session_number("session.timeout.ms")
        session = reader.session_setting("session.timeout.ms") if number is not None and number < shortest else None
        if session is None:
            continue
        yield problem_with(
            session,
            reader,
            f"{session.name} is {shown(session)} with static members, so a restart that takes longer makes the group"
            f" rebalance; expected at least {format_duration(shortest)}",
            f"set {session.name} above the time that one member takes to restart, or remove the static ids",
        )


EXAMPLE = (
    ORDERS
    + BILLING
    + """\
    instances: [billing-0, billing-1]
    config: {session.timeout.ms: 2m}
"""
)
OPTIONS = (Option("shortest", "30s", "How long a restart takes; a shorter session is too short.", measure="duration"),)

GOOD = (EXAMPLE, changed(EXAMPLE, {"    instances: [billing-0, billing-1]\n": "", "2m": "10s"}))
BAD = (
    Bad(changed(EXAMPLE, {"session.timeout.ms: 2m": "session.timeout.ms: 10s"}), line=8, column=34),
    Bad(
        changed(
            EXAMPLE,
            {
                "    instances: [billing-0, billing-1]\n": "",
                "session.timeout.ms: 2m": "group.instance.id: billing-0, session.timeout.ms: 20s",
            },
        ),
        line=7,
        column=64,
    ),
    Bad(EXAMPLE + "rules:\n  KT524: {shortest: 5m}\n", line=8, column=34),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, options=OPTIONS, requirements=("R24",))
