"""What a result is worth when only a part of the topic was read."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from .ranges import Pinned, Sampled
from .report import CheckResult, Estimate

CONFIDENCE = 0.95

# They count other things than records, or compare records with each other: no number follows for what was not read.
NOT_ESTIMATED = frozenset({"single-partition", "compaction", "order", "cardinality", "skew"})


def with_bounds(results: Iterable[CheckResult], pinned: Pinned) -> tuple[CheckResult, ...]:
    """Results of a sample, each of them bounded: what was seen is certain, the rest is estimated.

    Where whole stretches were read, the checks know themselves whether what lies before could change their results.
    """
    sample = pinned.sample
    return tuple(results) if sample is None else tuple(_bounded(result, sample, pinned) for result in results)


def _bounded(result: CheckResult, sample: Sampled, pinned: Pinned) -> CheckResult:
    if result.status == "not-checked":
        return result
    reasons = dict.fromkeys(filter(None, (result.reason, pinned.partial)))
    estimate = None if result.check in NOT_ESTIMATED else estimated(result, sample, pinned)
    return replace(result, status="bounded", reason="; ".join(reasons), estimate=estimate)


def estimated(result: CheckResult, sample: Sampled, pinned: Pinned) -> Estimate:
    """How many violations the whole has, from the blocks that were drawn.

    Each block's share of violations lies between 0 and 1 and nothing else is assumed, so the interval is
    Hoeffding's, as Serfling narrowed it for drawing without replacement, summed over the partitions.
    """
    seen = {count.partition: count.violations for count in result.partitions}
    guess = spread = 0.0
    for stratum in sample.strata:
        guess += seen.get(stratum.partition, 0) * stratum.blocks / stratum.drawn
        if not stratum.complete:
            unseen = 1 - (stratum.drawn - 1) / stratum.blocks
            spread += (stratum.size * stratum.blocks) ** 2 * unseen / stratum.drawn
    margin = math.sqrt(math.log(2 / (1 - CONFIDENCE)) / 2 * spread)
    certain = result.violations or 0
    unread = sum(part.end - part.start for part in pinned.ranges) - sample.offsets
    low = max(certain, math.ceil(guess - margin))
    high = min(certain + unread, math.floor(guess + margin))
    return Estimate(min(max(round(guess), low), high), low, high, CONFIDENCE)
