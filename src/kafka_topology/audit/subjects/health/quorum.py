"""Checks the controller quorum: voters that are down, and nodes that are behind the metadata log."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from kafka_topology.topology.model.words import agreeing, counted, duration_text, listed

from ....cluster.outcomes import Failure, FailureKind
from ....topology.model.findings import Severity
from ...check import Check, about_cluster, found
from ...observing.live_cluster import BROKERS, QUORUM
from ...observing.snapshot import Observation
from ...subject import Subject, duration_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....cluster.live.quorum import Quorum
    from ....topology.model.declared import Topology
    from ....topology.model.findings import Finding
    from ...check import About
    from ...observing.snapshot import Snapshot, Survey
    from ...subject import Options

VOTER_DOWN: Final = Check(
    "KTA511", "voter-down", Severity.WARNING,
    "A voter of the controller quorum does not follow the leader. The quorum can still lose another one.",
    "The voters keep the metadata of the cluster. A voter that has not fetched for ten seconds is down, or does not "
    "reach the leader.",
    "Start the controller, or find out why it does not reach the others.",
    ("R3",),
    transient=True,
)  # fmt: skip
NO_RESERVE: Final = Check(
    "KTA512", "quorum-without-reserve", Severity.WARNING,
    "Voters are down, and just a majority is left: one more loss stops the cluster.",
    "Without a majority of the voters, nothing that changes metadata works: no topic is created, no setting is "
    "changed, and no partition gets a new leader when a broker fails. A restart that is usually harmless becomes an "
    "outage.",
    "Bring the missing voters back before you restart any controller.",
    ("R3",),
    transient=True,
)  # fmt: skip
BEHIND: Final = Check(
    "KTA513", "metadata-behind", Severity.WARNING,
    "A controller or a broker that is up is far behind the metadata log.",
    "A voter that is behind cannot take over. A broker that is behind acts on old metadata: it leads partitions that "
    "it no longer should, or uses old settings and ACLs. Kafka before 3.3 does not say how far a node is behind.",
    "Check the node's disk, its garbage collection, and its network to the leader of the quorum.",
    ("R3",),
    (("age", "30s", "how long a node may be behind", "duration"),),
    transient=True,
)  # fmt: skip
NO_LEADER: Final = Check(
    "KTA514", "quorum-does-not-answer", Severity.ERROR,
    "Brokers answer, but the controllers do not, although the audit asked until its timeout was over.",
    "Either the quorum has lost its majority, so it has no leader, or its leader hangs: the others elect a new one, "
    "but the brokers may wait for the old one for up to a minute. Reads and writes go on for a while, but until the "
    "controllers answer no partition gets a new leader when a broker fails.",
    "`kafka-metadata-quorum --bootstrap-controller HOST:PORT describe --status` asks a controller itself. Start "
    "controllers that are down, and restart one that hangs. `--for 2m` waits for an election to pass.",
    ("R3",),
    transient=True,
)  # fmt: skip


def _take_reached(survey: Survey) -> bool:
    """Clients ask the controllers even for the list of brokers, so that list says nothing about the brokers."""
    quorum = survey.read(QUORUM)
    return not isinstance(quorum, Failure) or survey.cluster.health.is_reached()


REACHED: Final = Observation("reached", _take_reached)
"""Whether a broker answers. Asked only if the controllers do not."""


def quorum_findings(topology: Topology, live: Snapshot, options: Options) -> Iterator[Finding]:
    about = about_cluster(topology)
    quorum, brokers = live.of(QUORUM), live.of(BROKERS)
    if isinstance(quorum, Failure):
        if quorum.kind is FailureKind.UNCERTAIN and live.of(REACHED):
            yield _silent(about, quorum)
        return
    yield from _down(quorum, about)
    up = frozenset() if isinstance(brokers, Failure) else frozenset(brokers)
    yield from _behind(quorum, about, up, duration_option(options, BEHIND, "age"))


def _silent(about: About, quorum: Failure) -> Finding:
    """It has no majority, or nobody reaches its leader yet: the brokers do not say which."""
    return found(
        NO_LEADER,
        about,
        about.declared,
        "brokers answer, but no leader of the controller quorum answered in time; expected one: either a majority of "
        "the controllers is down, or their leader hangs or has just changed",
        "ask a controller with kafka-metadata-quorum --bootstrap-controller; start those that are down, and restart "
        "one that hangs",
        expected="an answer",
        actual=quorum.message,
    )


def _down(quorum: Quorum, about: About) -> Iterator[Finding]:
    down = sorted(voter for voter, state in quorum.voters.items() if not state.follows)
    if not down:
        return
    left, total = len(quorum.voters) - len(down), len(quorum.voters)
    at_risk = left <= quorum.majority
    who = f"{agreeing(len(down), 'voter', 'voters')} {listed(down)} of the controller quorum"
    verb = agreeing(len(down), "does", "do")
    risk = ", and one more loss stops the cluster" if at_risk else ""
    yield found(
        NO_RESERVE if at_risk else VOTER_DOWN,
        about,
        about.declared,
        f"{who} {verb} not follow its leader {quorum.leader}: {left} of {total} voters are left{risk}; "
        f"expected {total}",
        f"start {agreeing(len(down), 'controller', 'controllers')} {listed(down)}",
        expected=total,
        actual=left,
        down=down,
        leader=quorum.leader,
        majority=quorum.majority,
    )


def _behind(quorum: Quorum, about: About, up: frozenset[int], longest: timedelta) -> Iterator[Finding]:
    """Voters that are down have a finding already, and observers that are down are brokers that are down."""
    voters = {voter: ("controller", state) for voter, state in quorum.voters.items() if state.follows}
    observers = {node: ("broker", state) for node, state in quorum.observers.items() if node in up - voters.keys()}
    for node, (kind, state) in sorted({**observers, **voters}.items()):
        if state.behind is None or timedelta(milliseconds=state.behind) <= longest:
            continue
        behind = duration_text(timedelta(milliseconds=state.behind))
        yield found(
            BEHIND,
            about,
            about.declared,
            f"{kind} {node} is {behind} and {counted(state.lag, 'record')} behind the metadata log of leader "
            f"{quorum.leader}; expected at most {duration_text(longest)}",
            f"check the disk, the memory and the network of {kind} {node}",
            expected=round(longest.total_seconds()),
            actual=state.behind // 1000,
            node=node,
            lag=state.lag,
        )


SUBJECT: Final = Subject(
    order=71,
    words=("cluster",),
    compares={
        "controller quorum": "no answer; voters that are down, and whether one more loss stops the cluster; "
        "controllers and brokers far behind the metadata log"
    },
    reads=(QUORUM, BROKERS, REACHED),
    checks=(VOTER_DOWN, NO_RESERVE, BEHIND, NO_LEADER),
    compare=quorum_findings,
    is_health=True,
)
