"""What-if and capacity in words."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.review.capacity import Capacity
from kafka_topology.review.result import Review
from kafka_topology.review.what_if.question import BrokerLoad, TopicLoss, WhatIf
from kafka_topology.topology.model.units import format_size
from kafka_topology.topology.model.words import agreeing, counted, listed
from kafka_topology.validators.facts.changes import about


def loss_sentence(loss: TopicLoss) -> str:
    of = f"{loss.partitions} of {loss.of} partitions"
    if loss.state == "offline":
        more = loss.no_writes - loss.partitions
        also = f", and {more} more {agreeing(more, 'takes', 'take')} no acks=all writes" if more else ""
        return f"{loss.topic}: {of} cannot be read or written{also}"
    if loss.state == "no writes" and loss.copies_left >= loss.min_isr:
        return f"{loss.topic}: {of} do not complete acks=all writes (lost replicas stay in the ISR)"
    if loss.state == "no writes":
        left = f"{loss.copies_left} of {loss.min_isr} required replicas left"
        return f"{loss.topic}: {of} refuse acks=all writes ({left})"
    return f"{loss.topic}: {of} continue with {counted(loss.copies_left, 'copy', 'copies')}"


def what_if_sentences(found: WhatIf) -> Iterator[str]:
    """What stops, then how much the remaining brokers carry."""
    yield from _stop_sentences(found)
    yield from _load_sentences(found)
    for note in found.notes:
        yield f"{note[0].upper()}{note[1:]}."


def _loss_sentences(found: WhatIf) -> Iterator[str]:
    """What a review compares: what stops, and whether the brokers that are left can carry the rest."""
    yield from _stop_sentences(found)
    yield from _limit_sentences(found)


def _stop_sentences(found: WhatIf) -> Iterator[str]:
    stops, quorum = found.lose_writes, found.quorum
    every = f"every topic except {listed(found.unchecked)}" if found.unchecked else "every topic"
    if not stops and quorum.verdict == "unknown":
        yield f"Losing {found.loss.title}: {every} has enough replicas left to be read and written."
    elif not stops and quorum.verdict == "kept":
        yield f"Losing {found.loss.title}: {every} can still be read and written."
    elif stops:
        yield f"Losing {found.loss.title} stops writes to {listed([loss.topic for loss in stops], most=8)}."
        groups = found.stalled_groups
        if groups:
            yield f"These then stall or wait: {listed(groups, most=8)}."
        for loss in stops:
            if loss.effect is not None:
                who = listed([*loss.writers, *loss.readers], most=8)
                yield f"{loss.topic}: {loss.effect}" + (f": any of {who}." if who else ".")
    if quorum.verdict != "kept":
        yield f"{quorum.sentence[0].upper()}{quorum.sentence[1:]}."


def _load_sentences(found: WhatIf) -> Iterator[str]:
    if found.quorum.verdict == "lost":
        yield f"{_each(found)} carries {_load(found.before)} now; without a majority, no replica moves."
        return
    if not found.brokers:
        yield f"{_each(found)} carries {_load(found.before)} now."
        return
    if found.unplaced > 0:
        taken = (
            "takes no lost replica"
            if found.after.replicas == _left_now(found)
            else f"carries {_load(found.after)} then"
        )
        lost = counted(found.unplaced, "lost replica")
        yield (
            f"{_each(found)} carries {_load(found.before)} now; each of those left {taken}: no broker is left for"
            f" {lost}, because each has a replica of the partition already."
        )
        return
    fullest = max(found.brokers, key=lambda each: (each.after.disk or 0, each.after.replicas))
    if _is_even(found):
        yield f"{_each(found)} carries {_load(found.before)} now, and {_load(found.after)} after re-replication."
    else:
        yield (
            f"{_brokers(found)} carry {_load(found.before)} on average now; of those left, broker"
            f" {fullest.broker} will carry the most: {_load(fullest.before)} now, and"
            f" {_load(fullest.after)} after re-replication."
        )
    yield from _limit_sentences(found)


def _limit_sentences(found: WhatIf) -> Iterator[str]:
    """What the brokers that are left cannot take. Without a majority, nothing moves."""
    if found.quorum.verdict == "lost" or found.unplaced > 0:
        return
    for each in found.brokers:
        if each.disk is not None and each.after.disk is not None and each.after.disk > each.disk:
            yield (
                f"After re-replication, broker {each.broker} needs {about(each.after.disk)}, more than its disk of"
                f" {format_size(each.disk)}."
            )
            break
    most = max((each.after.replicas for each in found.brokers), default=0)
    if found.limit is not None and most > found.limit:
        yield (
            f"After re-replication, a broker has {most:,.0f} partition replicas, more than its limit of"
            f" {found.limit:,}."
        )


def capacity_lines(review: Review) -> Iterator[str]:
    """What each broker carries before and after, where the change alters it; alike environments together."""
    held: dict[str, list[str]] = {}
    for each in review.reviews:
        if each.capacity is not None and _capacity_words(*each.capacity):
            held.setdefault(_capacity_words(*each.capacity), []).append(each.environment or "the base")
    for words, names in held.items():
        yield words if len(names) == len(review.reviews) else f"in {', '.join(names)}: {words}"


def _capacity_words(before: Capacity, after: Capacity) -> str:
    parts = [
        f"{name} {about(was)}{unit} → {about(now)}{unit}"
        for name, unit, was, now in (
            ("disk", "", before.disk, after.disk),
            ("receives", "/s", before.received, after.received),
            ("sends", "/s", before.sent, after.sent),
        )
        if about(was) != about(now)
    ]
    if before.brokers != after.brokers:
        parts.insert(0, f"brokers {before.brokers or 'not declared'} → {after.brokers or 'not declared'}")
    if not parts:
        return ""
    whom = "each broker" if after.brokers is not None else "all brokers together"
    unknown = f" (without {listed(after.unknown, most=3)}: load or limit not declared)" if after.unknown else ""
    return f"{whom}, by the declared peaks: {', '.join(parts)}{unknown}"


def _left_now(found: WhatIf) -> float:
    """The replicas that the remaining brokers have now, on average."""
    return sum(each.before.replicas for each in found.brokers) / len(found.brokers)


def changed_what_ifs(review: Review) -> Iterator[tuple[str, list[str]]]:
    """The environments and the sentences of what-if that the change alters; alike environments together."""
    held: dict[tuple[str, ...], list[str]] = {}
    for each in review.reviews:
        if each.what_if is None:
            continue
        after = list(_loss_sentences(each.what_if))
        before = list(_loss_sentences(each.what_if_before)) if each.what_if_before is not None else None
        if after == before:
            continue
        was = [f"Before: {sentence}" for sentence in before or () if sentence not in after]
        now = [f"After: {sentence}" if was and sentence not in (before or ()) else sentence for sentence in after]
        held.setdefault((*was, *now), []).append(each.environment or "the base")
    for sentences, names in held.items():
        alone = len(names) == len(review.reviews)
        yield "" if alone else f" in {', '.join(names)}", list(sentences)


def _is_even(found: WhatIf) -> bool:
    """Whether no broker that is left is far from the average, before or after."""
    pairs = [(each.before, found.before) for each in found.brokers]
    pairs += [(each.after, found.after) for each in found.brokers]
    return all(
        load.replicas <= 1.25 * mean.replicas + 1 and (load.disk or 0) <= 1.25 * (mean.disk or 0) + 1
        for load, mean in pairs
    )


def _each(found: WhatIf) -> str:
    return "Each running broker" if found.down else "Each broker"


def _brokers(found: WhatIf) -> str:
    return "The running brokers" if found.down else "Brokers"


def _load(load: BrokerLoad) -> str:
    replicas = f"{load.replicas:,.0f} partition replicas"
    return f"{replicas} and {about(load.disk)}" if load.disk is not None else replicas
