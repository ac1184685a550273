"""Words that every form of a review uses."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.review.changes import Risk
from kafka_topology.review.result import InEnvironments, Review, SharedChange
from kafka_topology.review.whatif import BrokerLoad, TopicLoss, WhatIf
from kafka_topology.topology.units import format_size
from kafka_topology.validators.changes import about

WORST_FIRST = tuple(sorted(Risk, key=lambda risk: -risk.rank))
NO_TEAM = "no team"


def summary(review: Review) -> str:
    """One line: how many changes of each class, since what."""
    if review.unreadable:
        return f"{review.head} cannot be read as a topology"
    if review.base is None:
        return "reviewed alone, without an earlier version"
    counts = [f"{review.count(risk)} {risk}" for risk in WORST_FIRST if review.count(risk)]
    total = len(review.changes)
    noun = "change" if total == 1 else "changes"
    told = f"{total:,} {noun} ({', '.join(counts)})" if counts else "nothing changes"
    return f"{told} since {review.base}"


def where(shared: InEnvironments, review: Review) -> str:
    """The environments of a change, when not all of them have it."""
    if shared.environments == review.environments or not shared.environments:
        return ""
    return "in " + ", ".join(name or "the base" for name in shared.environments)


def by_team(review: Review) -> Iterator[tuple[str, list[SharedChange]]]:
    """Changes of one resource stay together; the resource with the worst change comes first."""
    teams: dict[str, list[SharedChange]] = {}
    for shared in review.changes:
        teams.setdefault(shared.change.team or NO_TEAM, []).append(shared)
    for team in sorted(teams, key=lambda name: (name == NO_TEAM, name)):
        worst = {shared.change.title: shared.change.risk.rank for shared in reversed(teams[team])}
        yield team, sorted(teams[team], key=lambda shared: (-worst[shared.change.title], shared.change.title))


def loss_sentence(loss: TopicLoss) -> str:
    of = f"{loss.partitions} of {loss.of} partitions"
    if loss.state == "offline":
        return f"{loss.topic}: {of} can be neither read nor written"
    if loss.state == "no writes":
        left = f"{loss.copies_left} of {loss.min_isr} needed replicas left"
        return f"{loss.topic}: {of} refuse acks=all writes ({left})"
    copies = "copy" if loss.copies_left == 1 else "copies"
    return f"{loss.topic}: {of} go on with {loss.copies_left} {copies}"


def what_if_sentences(found: WhatIf) -> Iterator[str]:
    """What stops, then how much the brokers that are left carry."""
    stops = found.lose_writes
    if not stops:
        yield f"Losing {found.loss.title}: every topic can still be written and read."
    else:
        names = ", ".join(loss.topic for loss in stops[:8]) + (f" and {len(stops) - 8} more" if len(stops) > 8 else "")
        yield f"Losing {found.loss.title} stops writes to {names}."
        groups = found.stalled_groups
        if groups:
            more = f" and {len(groups) - 8} more" if len(groups) > 8 else ""
            yield f"These then stall or wait: {', '.join(groups[:8])}{more}."
    yield f"A broker carries {_load(found.before)} now, and {_load(found.after)} once the lost replicas are made anew."
    if found.disk is not None and found.after.disk is not None and found.after.disk > found.disk:
        yield f"That is more than its disk of {format_size(found.disk)}."
    if found.limit is not None and found.after.replicas > found.limit:
        yield f"That is more than its limit of {found.limit:,} partitions."
    for note in found.notes:
        yield f"{note[0].upper()}{note[1:]}."


def _load(load: BrokerLoad) -> str:
    replicas = f"{load.replicas:,.0f} partition replicas"
    return f"{replicas} and {about(load.disk)}" if load.disk is not None else replicas
