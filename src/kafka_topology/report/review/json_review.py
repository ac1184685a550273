"""A review as JSON with stable names, described by `review.schema.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kafka_topology.review.accepting import acceptable
from kafka_topology.review.capacity import Capacity
from kafka_topology.review.causes import Cause
from kafka_topology.review.changes import Risk
from kafka_topology.review.result import Review, SharedChange
from kafka_topology.review.what_if.question import BrokerLoad, WhatIf
from kafka_topology.topology import Location
from kafka_topology.topology.model.declared import Acceptance

from ..findings.json_findings import findings_json
from ..formats import Format
from .formats import Presented
from .words import notes_of, verdict

VERSION = 1


def render(review: Review, folder: Path | None = None) -> str:
    here = folder or Path()
    document = {
        "verdict": {
            "result": _result(review),
            "text": verdict(review),
            "failOn": [review.gate.severity.value, *([review.gate.risk.value] if review.gate.risk else [])],
        },
        "version": VERSION,
        "subject": review.subject,
        "base": review.base,
        "head": review.head,
        "environments": list(review.environments),
        "summary": {
            "risk": review.risk.value if review.risk is not None else None,
            **{risk.value.replace(" ", "-"): review.count(risk) for risk in Risk},
            "causes": len(review.rows),
        },
        "changes": [_change(shared, review) for shared in review.changes],
        "findings": [
            {
                **findings_json((shared.finding,), here)["findings"][0],
                "new": shared.is_new,
                "environments": list(shared.environments),
                "accepted": _acceptance(shared.accepted, review),
            }
            for shared in review.findings
        ],
        "approvers": [{"owner": owner, "because": list(why)} for owner, why in review.approvers.items()],
        "whatIf": [
            {
                "environment": each.environment,
                **what_if_json(each.what_if),
                "before": what_if_json(each.what_if_before) if each.what_if_before is not None else None,
            }
            for each in review.reviews
            if each.what_if
        ],
        "capacity": [
            {
                "environment": each.environment,
                "before": _capacity(each.capacity[0]),
                "after": _capacity(each.capacity[1]),
            }
            for each in review.reviews
            if each.capacity is not None
        ],
        "drift": [
            {"only": each.only, "kind": each.kind, "name": each.name, "message": each.text} for each in review.drift
        ],
        "notes": list(notes_of(review)),
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


def _change(shared: SharedChange, review: Review) -> dict[str, Any]:
    change = shared.change
    row = review.row_of(shared)
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
        "cause": _cause(change.cause),
        "acceptAs": acceptable(row) if row.risk is not Risk.SAFE else None,
        "accepted": _acceptance(review.accepting.of(row), review),
    }


def _acceptance(entry: Acceptance | None, review: Review) -> dict[str, Any] | None:
    if entry is None:
        return None
    return {
        "reason": entry.reason,
        "ticket": entry.ticket,
        "until": entry.until.isoformat(),
        "location": _location(entry.location),
        "earlier": review.accepting.is_earlier(entry),
    }


def _cause(cause: Cause | None) -> dict[str, Any] | None:
    if cause is None:
        return None
    return {"kind": cause.kind, "name": cause.name, "location": _location(cause.location)}


def _result(review: Review) -> str:
    if review.unreadable:
        return "unreadable"
    if review.fails:
        return "failed"
    return "could not check" if review.could_not_check else "passed"


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
                "withoutWrites": loss.no_writes,
                "copiesLeft": loss.copies_left,
                "minInsyncReplicas": loss.min_isr,
                "writers": list(loss.writers),
                "readers": list(loss.readers),
                "effect": loss.effect,
            }
            for loss in found.topics
        ],
        "stalledGroups": list(found.stalled_groups),
        "quorum": {
            "majority": found.quorum.verdict,
            "controllers": found.quorum.of,
            "left": found.quorum.left,
            "needed": found.quorum.needed,
            "reason": found.quorum.sentence,
        },
        "perBroker": {"before": _load(found.before), "after": _load(found.after), "disk": found.disk},
        "remainingBrokers": [
            {"broker": each.broker, "before": _load(each.before), "after": _load(each.after), "disk": each.disk}
            for each in found.brokers
        ],
        "down": list(found.down),
        "couldNotCheck": list(found.unchecked),
        "notes": list(found.notes),
    }


def _capacity(held: Capacity) -> dict[str, Any]:
    return {
        "brokers": held.brokers,
        "bytes": round(held.disk),
        "received": round(held.received),
        "sent": round(held.sent),
        "unknown": list(held.unknown),
    }


def _load(load: BrokerLoad) -> dict[str, Any]:
    return {"replicas": round(load.replicas, 1), "bytes": round(load.disk) if load.disk is not None else None}


FORMAT: Format[Presented] = Format(
    name="json",
    description="Everything, for programs. `review.schema.json` describes it.",
    render=lambda presented: render(presented.review, presented.folder),
)
