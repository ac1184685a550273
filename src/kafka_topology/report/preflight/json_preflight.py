"""A preflight as JSON: what the findings of other commands have, with the answer, the steps and the fingerprint.

`preflight.schema.json` describes it.
"""

from __future__ import annotations

import json

from ..findings import json_findings
from ..formats import Format
from .formats import Presented


def render(presented: Presented) -> str:
    found = presented.preflighted
    document = json.loads(json_findings.render(presented.run))
    answer = "yes" if presented.is_yes else "no" if presented.run.failing else "could not check"
    added = {
        "answer": answer,
        "cluster": presented.cluster,
        "comparedWith": found.compared,
        "changes": dict(found.changes),
        "steps": [{"step": each.step.name, "answer": each.answer, "said": each.said} for each in found.answered],
        "fingerprint": found.fingerprint.as_json() if found.fingerprint is not None else None,
    }
    return json.dumps({"version": document.pop("version"), **added, **document}, indent=2) + "\n"


FORMAT = Format(
    name="json",
    description="Everything, for programs; `--expect` reads it. `preflight.schema.json` describes it.",
    render=render,
)
