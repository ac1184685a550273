"""What a result is worth when only a part of the topic was read."""

from __future__ import annotations

import math
from dataclasses import replace

from ..reading.ranges import Pinned, Sampled
from ..results.report import CheckResult, Estimate

CONFIDENCE = 0.95


def bounded(result: CheckResult, pinned: Pinned, *, with_estimate: bool) -> CheckResult:
    """A result of a sample is bounded: what was seen is certain, the rest is estimated where that is possible.

    So is one of a topic with records behind an open transaction, which may be committed later. Where whole stretches
    were read, the checks know themselves whether what lies before could change their results.
    """
    if (pinned.sample is None and not pinned.hidden) or result.status == "not-checked":
        return result
    reasons = dict.fromkeys(filter(None, (result.reason, pinned.partial)))
    estimate = estimated(result, pinned.sample, pinned) if pinned.sample is not None and with_estimate else None
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
    unread = sum(part.offsets for part in pinned.ranges) - sample.offsets
    low = max(certain, math.ceil(guess - margin))
    high = min(certain + unread, math.floor(guess + margin))
    return Estimate(min(max(round(guess), low), high), low, high, CONFIDENCE)
