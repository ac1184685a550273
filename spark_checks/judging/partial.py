"""What a result is worth when only a part of the topic was read."""

from __future__ import annotations

import math
from dataclasses import replace

from kafka_topology.topology.model.words import agreeing, counted

from ..reading.ranges import Pinned, Sampled
from ..results.report import CheckResult, Estimate

CONFIDENCE = 0.95


def bounded(result: CheckResult, pinned: Pinned, missed: int = 0, *, with_estimate: bool) -> CheckResult:
    """A result of a sample is bounded: what was seen is certain, the rest is estimated where that is possible.

    So is one of a topic with records behind an open transaction, which may be committed later, or with `missed` offsets
    that were deleted before they were read. Where whole stretches were read, the checks know themselves whether what is
    before could change their results.
    """
    if (pinned.sample is None and not pinned.hidden and not missed) or result.status == "not-checked":
        return result
    reasons = dict.fromkeys(filter(None, (result.reason, pinned.partial, _deleted(missed))))
    estimate = estimated(result, pinned.sample, pinned) if pinned.sample is not None and with_estimate else None
    return replace(result, status="bounded", reason="; ".join(reasons), estimate=estimate)


def _deleted(missed: int) -> str | None:
    if not missed:
        return None
    return f"{counted(missed, 'offset')} deleted before {agreeing(missed, 'it was', 'they were')} read"


def estimated(result: CheckResult, sample: Sampled, pinned: Pinned) -> Estimate:
    """How many violations the whole has, from the blocks that were drawn.

    Nothing is assumed of how violations are spread: each block's share of them lies between 0 and 1, and that is all.
    See `likely`.
    """
    seen = {count.partition: count.violations for count in result.partitions}
    certain = result.violations or 0
    unread = sum(part.offsets for part in pinned.ranges) - sample.offsets
    open_ = [stratum for stratum in sample.strata if not stratum.complete]
    whole = sum(stratum.size * stratum.blocks for stratum in open_)
    guess = sum(seen.get(stratum.partition, 0) * stratum.blocks / stratum.drawn for stratum in open_)
    exact = certain - sum(seen.get(stratum.partition, 0) for stratum in open_)
    # How many offsets a drawn block stands for: the fewest draws that weigh as much as they do.
    draws = whole / max((stratum.size * stratum.blocks / stratum.drawn for stratum in open_), default=1)
    low_share, high_share = likely(min(1.0, guess / whole), draws) if whole else (0.0, 0.0)
    low = max(certain, exact + math.ceil(low_share * whole))
    high = max(low, min(certain + unread, exact + math.floor(high_share * whole)))
    return Estimate(min(max(round(exact + guess), low), high), low, high, CONFIDENCE)


def likely(share: float, draws: float) -> tuple[float, float]:
    """The shares that are not too unlikely to give this mean of so many draws.

    Hoeffding's inequality in its form with relative entropy: P(mean >= x) <= exp(-draws · KL(x, share)). It holds for
    independent draws with different expectations, so for blocks of many strata; for draws without replacement (his
    theorem 4); and for weights of up to 1 / draws. Where no violation was seen, the interval ends at about 3.7 / draws.
    """
    limit = math.log(2 / (1 - CONFIDENCE)) / draws
    return _reached(share, 0.0, limit), _reached(share, 1.0, limit)


def _reached(share: float, end: float, limit: float) -> float:
    """How far from the share towards the end its relative entropy stays within the limit."""
    inside, outside = share, end
    for _ in range(60):
        middle = (inside + outside) / 2
        if _entropy(share, middle) <= limit:
            inside = middle
        else:
            outside = middle
    return inside


def _entropy(one: float, other: float) -> float:
    """Kullback-Leibler divergence of a coin with the one share from a coin with the other."""
    parts = ((one, other), (1 - one, 1 - other))
    return sum(this * math.log(this / that) if that > 0 else math.inf for this, that in parts if this > 0)
