"""Changes of the severities and options of rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..changes import Change, care
from ..judging import action_of, differing
from ..subject import Subject
from ..versions import Versions


def rule_changes(versions: Versions) -> Iterator[Change]:
    for name, was, now in differing(versions.old.topology.rules, versions.new.topology.rules):
        if now is not None and now.severity == "off":
            verdict = care("the rule reports nothing any more, on any resource")
        else:
            verdict = care("the rule reports other findings or severities than before")
        held = now if now is not None else was
        assert held is not None  # noqa: S101 - one of the two is there
        yield Change(
            kind="rule",
            name=name,
            action=action_of(was, now),
            before=was.severity if was is not None else None,
            after=now.severity if now is not None else None,
            location=held.location if now is not None else None,
            was_at=held.location if now is None else None,
            risk=verdict.risk,
            reason=verdict.reason,
        )


SUBJECT: Final = Subject(order=90, kinds=("rule",), sections=("rules",), changes=rule_changes)
