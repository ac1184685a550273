"""Changes of the ownership."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..changes import Change, care
from ..fields import changed_fields
from ..judging import field_change
from ..subject import Subject
from ..versions import Versions


def ownership_changes(versions: Versions) -> Iterator[Change]:
    old, new = versions.old.topology.ownership, versions.new.topology.ownership
    if old == new:
        return
    for path, was, now in changed_fields("ownership", old, new):
        verdict = care("it limits what `pulumi up` may change")
        yield field_change(("ownership", "ownership"), path, (was, now), verdict, (old, new))


SUBJECT: Final = Subject(order=70, kinds=("ownership",), sections=("ownership",), changes=ownership_changes)
