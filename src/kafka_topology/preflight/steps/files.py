"""Do the files break a rule?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...topology.model.findings import Severity
from ...topology.model.words import counted
from ..step import Looked, Step

if TYPE_CHECKING:
    from ..facts import Facts


def look(facts: Facts) -> Looked:
    """Errors only: `validate` and `review` show warnings, and a deployment is no time to discuss them."""
    found = facts.judged.findings
    errors = tuple(finding for finding in found if finding.severity is Severity.ERROR)
    more = f"; validate shows {counted(len(found) - len(errors), 'other')}" if len(found) > len(errors) else ""
    if errors:
        return Looked(f"{counted(len(errors), 'error')}{more}", errors)
    return Looked(f"no errors in {counted(len(facts.topology.topics), 'topic')}{more}")


STEP = Step(
    name="rules",
    order=10,
    asks="Do the files break a rule? Errors only; with `--base`, also the rules about changes.",
    look=look,
    judges_files=True,
)
