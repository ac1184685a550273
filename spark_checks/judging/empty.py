"""Topics of which no record was read: nothing is known of them, which must never read as fine."""

from __future__ import annotations

from ..planning.plan import Plan
from ..reading.ranges import Pinned
from ..results.report import CheckResult


def why_empty(pinned: Pinned) -> str:
    """Why no record was read, of a topic of which none was."""
    if pinned.partial is not None:
        return f"no record was read: {pinned.partial}"
    if pinned.filled:
        return "no record was read: its offsets hold only deleted or aborted records"
    return "the topic holds no records"


def not_checked(plan: Plan, reason: str) -> tuple[CheckResult, ...]:
    """Every check of the plan. Those that cannot be made anyway keep their own reason."""
    found = {each.check.id: CheckResult(each.check.id, "not-checked", reason=reason) for each in plan.planned}
    found |= {result.check: result for result in plan.unchecked}
    return tuple(found[check] for check in plan.order if check in found)
