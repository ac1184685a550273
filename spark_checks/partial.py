"""What a result is worth when only a part of the topic was read."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from .ranges import Pinned, Sampled
from .report import CheckResult, Estimate

CONFIDENCE = 0.95

# They compare records with others, so records that were not read could change what they say.
NEEDS_ALL = frozenset({"single-partition", "compaction", "order", "cardinality"})
# They count other things than records, or compare partitions: no number of records follows for what was not read.
NOT_ESTIMATED = NEEDS_ALL | {"skew"}


def with_bounds(results: Iterable[CheckResult], pinned: Pinned) -> tuple[CheckResult, ...]:
    """Results of a part, marked as bounded where the rest could change them. What was seen is certain."""
    return tuple(_bounded(result, pinned) for result in results)


def _bounded(result: CheckResult, pinned: Pinned) -> CheckResult:
    if pinned.partial is None or result.status == "not-checked":
        return result
    if pinned.sample is None and result.check not in NEEDS_ALL:
        return result
    reason = "; ".join(filter(None, (result.reason, pinned.partial)))
    estimate = None
    if pinned.sample is not None and result.check not in NOT_ESTIMATED:
        estimate = estimated(result, pinned.sample, pinned)
    return replace(result, status="bounded", reason=reason, estimate=estimate)


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
