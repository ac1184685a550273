"""A review as JSON with stable names, described by `review.schema.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kafka_topology.review.changes import Risk
from kafka_topology.review.result import Review, SharedChange
from kafka_topology.review.whatif import BrokerLoad, WhatIf
from kafka_topology.topology import Location

from ..findings.json_findings import findings_json
from ..formats import Format
from .formats import Presented

VERSION = 1


def render(review: Review, folder: Path | None = None) -> str:
    here = folder or Path()
    document = {
        "version": VERSION,
        "subject": review.subject,
        "base": review.base,
        "head": review.head,
        "environments": list(review.environments),
        "summary": {
            "risk": review.risk.value if review.risk is not None else None,
            **{risk.value.replace(" ", "-"): review.count(risk) for risk in Risk},
        },
        "changes": [_change(shared) for shared in review.changes],
        "findings": [
            {
                **findings_json((shared.finding,), here)["findings"][0],
                "new": shared.is_new,
                "environments": list(shared.environments),
            }
            for shared in review.findings
        ],
        "whatIf": [
            {"environment": each.environment, **what_if_json(each.what_if)} for each in review.reviews if each.what_if
        ],
        "drift": [
            {"only": each.only, "kind": each.kind, "name": each.name, "message": each.text} for each in review.drift
        ],
        "notes": list(review.notes),
        "couldNotCheck": list(review.could_not_check),
    }
    return _lines(document)


def _lines(document: Mapping[str, Any]) -> str:
    """One line per item of a list: much faster than indenting everything, and easy to search."""
    fields = (f"  {json.dumps(name)}: {_field(held)}" for name, held in document.items())
    return "{\n" + ",\n".join(fields) + "\n}\n"


def _field(held: Any) -> str:
    if not isinstance(held, list) or not held:
        return json.dumps(held, ensure_ascii=False)
    items = ",\n".join(f"    {json.dumps(item, ensure_ascii=False)}" for item in held)
    return f"[\n{items}\n  ]"


def _change(shared: SharedChange) -> dict[str, Any]:
    change = shared.change
    return {
        "kind": change.kind,
        "name": change.name,
        "action": change.action,
        "path": change.path,
        "before": change.before,
        "after": change.after,
        "team": change.team,
        "risk": change.risk.value,
        "reason": change.reason,
        "effects": [{"kind": effect.kind, "text": effect.text} for effect in change.effects],
        "rules": list(change.rules),
        "location": _location(change.location),
        "was": _location(change.was_at),
        "environments": list(shared.environments),
    }


def _location(location: Location | None) -> dict[str, Any] | None:
    return {"file": location.file, "line": location.line, "column": location.column} if location is not None else None


def what_if_json(found: WhatIf) -> dict[str, Any]:
    return {
        "lost": found.loss.title,
        "brokers": list(found.loss.lost),
        "source": found.source,
        "topics": [
            {
                "topic": loss.topic,
                "owner": loss.owner,
                "state": loss.state,
                "partitions": loss.partitions,
                "of": loss.of,
                "copiesLeft": loss.copies_left,
                "minInsyncReplicas": loss.min_isr,
                "writers": list(loss.writers),
                "readers": list(loss.readers),
            }
            for loss in found.topics
        ],
        "stalledGroups": list(found.stalled_groups),
        "perBroker": {"before": _load(found.before), "after": _load(found.after), "disk": found.disk},
        "notes": list(found.notes),
    }


def _load(load: BrokerLoad) -> dict[str, Any]:
    return {"replicas": round(load.replicas, 1), "bytes": round(load.disk) if load.disk is not None else None}


FORMAT: Format[Presented] = Format(
    name="json",
    description="Everything, for programs. `review.schema.json` describes it.",
    render=lambda presented: render(presented.review, presented.folder),
)
