"""Acceptances that go. Those that come show at the change that they accept, or as a finding if there is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..changes import Change, safe
from ..judging import whole_change
from ..subject import Subject
from ..versions import Versions


def acceptance_changes(versions: Versions) -> Iterator[Change]:
    kept = set(versions.new.topology.accept)
    for entry in versions.old.topology.accept:
        if entry not in kept:
            verdict = safe("it accepts nothing any more")
            yield whole_change(("acceptance", entry.change), "remove", verdict, entry)


SUBJECT: Final = Subject(order=100, kinds=("acceptance",), sections=("accept",), changes=acceptance_changes)
