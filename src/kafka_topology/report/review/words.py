"""Words that every format of a review uses."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.review.changes import Risk
from kafka_topology.review.result import InEnvironments, Review, SharedChange
from kafka_topology.review.whatif import BrokerLoad, TopicLoss, WhatIf
from kafka_topology.topology.model.units import format_size
from kafka_topology.topology.model.words import counted, listed
from kafka_topology.validators.facts.changes import about

WORST_FIRST = tuple(sorted(Risk, key=lambda risk: -risk.rank))
NO_TEAM = "no team"


def summary(review: Review) -> str:
    """One line: how many changes of each risk, since which version."""
    if review.unreadable:
        what = "the new version" if review.head == review.subject else review.head
        return f"{what} cannot be read as a topology"
    if review.base is None:
        return "reviewed alone, without an earlier version"
    counts = [f"{review.count(risk)} {risk}" for risk in WORST_FIRST if review.count(risk)]
    changes = f"{counted(len(review.changes), 'change')} ({', '.join(counts)})" if counts else "no changes"
    return f"{changes} since {review.base}"


def where(shared: InEnvironments, review: Review) -> str:
    """The environments of a change, if not all have it."""
    if shared.environments == review.environments or not shared.environments:
        return ""
    return "in " + ", ".join(name or "the base" for name in shared.environments)


def by_team(review: Review) -> Iterator[tuple[str, list[SharedChange]]]:
    """Changes by team. Those of one resource stay together, the resource with the worst change first."""
    teams: dict[str, list[SharedChange]] = {}
    for shared in review.changes:
        teams.setdefault(shared.change.team or NO_TEAM, []).append(shared)
    for team in sorted(teams, key=lambda name: (name == NO_TEAM, name)):
        worst = {shared.change.title: shared.change.risk.rank for shared in reversed(teams[team])}
        yield team, sorted(teams[team], key=lambda shared: (-worst[shared.change.title], shared.change.title))


def loss_sentence(loss: TopicLoss) -> str:
    of = f"{loss.partitions} of {loss.of} partitions"
    if loss.state == "offline":
        return f"{loss.topic}: {of} cannot be read or written"
    if loss.state == "no writes":
        left = f"{loss.copies_left} of {loss.min_isr} required replicas left"
        return f"{loss.topic}: {of} refuse acks=all writes ({left})"
    return f"{loss.topic}: {of} continue with {counted(loss.copies_left, 'copy', 'copies')}"


def what_if_sentences(found: WhatIf) -> Iterator[str]:
    """What stops, then how much the remaining brokers carry."""
    stops = found.lose_writes
    if not stops:
        yield f"Losing {found.loss.title}: every topic can still be read and written."
    else:
        yield f"Losing {found.loss.title} stops writes to {listed([loss.topic for loss in stops], most=8)}."
        groups = found.stalled_groups
        if groups:
            yield f"These then stall or wait: {listed(groups, most=8)}."
    yield f"Each broker carries {_load(found.before)} now, and {_load(found.after)} after re-replication."
    if found.disk is not None and found.after.disk is not None and found.after.disk > found.disk:
        yield f"That is more than its disk of {format_size(found.disk)}."
    if found.limit is not None and found.after.replicas > found.limit:
        yield f"That is more than its limit of {found.limit:,} partitions."
    for note in found.notes:
        yield f"{note[0].upper()}{note[1:]}."


def _load(load: BrokerLoad) -> str:
    replicas = f"{load.replicas:,.0f} partition replicas"
    return f"{replicas} and {about(load.disk)}" if load.disk is not None else replicas
