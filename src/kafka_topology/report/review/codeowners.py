"""Who must approve, by file, in the style of CODEOWNERS."""

from __future__ import annotations

from kafka_topology.review.changes import Risk
from kafka_topology.review.result import Review

from ..formats import Format
from .formats import Presented
from .words import verdict


def render(review: Review) -> str:
    """A line for each changed file, with the owners of what changes there with a risk. The verdict is a comment."""
    found: dict[str, dict[str, None]] = {}
    for shared in review.changes:
        change = shared.change
        at = change.location or change.lost_at or change.was_at
        if change.risk is not Risk.SAFE and at is not None:
            owners = found.setdefault(at.file.replace(" ", "\\ "), {})
            owners.update(dict.fromkeys(owner.replace(" ", "-") for owner, _ in change.concerns))
    for row in review.rows:
        entry = review.accepting.of(row)
        if entry is not None:
            # Who the change concerns decides about its risk, whoever owns the file.
            concerned = (owner for each in row.members for owner, _ in each.change.concerns)
            owners = found.setdefault(entry.location.file.replace(" ", "\\ "), {})
            owners.update(dict.fromkeys(owner.replace(" ", "-") for owner in concerned))
    lines = (f"/{file.lstrip('/')} {' '.join(sorted(owners))}" for file, owners in sorted(found.items()) if owners)
    return "".join(f"{line}\n" for line in (f"# {verdict(review)}", *lines))


FORMAT: Format[Presented] = Format(
    name="codeowners",
    description="Who must approve, for programs: a line for each changed file, with the owners that it concerns.",
    render=lambda presented: render(presented.review),
)
