"""Is everything still as it was when the plan was made?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...audit.check import Check, about_cluster, found
from ...topology.model.findings import Severity
from ..digesting import fingerprint_of
from ..step import Looked, Step

if TYPE_CHECKING:
    from ..facts import Facts

STALE: Final = Check(
    "KTP701", "plan-out-of-date", Severity.ERROR,
    "Since the plan was made, the files, the stack or the cluster changed.",
    "What was approved is no longer what would be applied.",
    "Make a new plan, look at it, and approve it.",
)  # fmt: skip


def look(facts: Facts) -> Looked | None:
    if facts.expected is None:
        return None
    about = about_cluster(facts.topology)
    stale = tuple(
        found(STALE, about, about.declared, reason, "make a new plan, and approve it")
        for reason in fingerprint_of(facts).differences(facts.expected)
    )
    return Looked("something changed since the plan" if stale else "nothing changed since the plan", stale)


STEP = Step(
    name="plan",
    order=90,
    asks="With `--expect`: are files, stack and cluster still as they were when the plan was made?",
    look=look,
    checks=(STALE,),
)
