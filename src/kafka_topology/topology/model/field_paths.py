"""How a field of the value is named: `customer.id` leads into an object, `customer\\.id` is one name with a dot."""

from __future__ import annotations

import re

_PARTS = re.compile(r"\\[\\.]|\.|[^\\.]+|\\")


def field_path(field: str) -> tuple[str, ...]:
    """The names on the way to the field. A backslash before a dot or a backslash makes it part of the name."""
    names = [""]
    for part in _PARTS.findall(field):
        if part == ".":
            names.append("")
        else:
            names[-1] += part[1:] if len(part) == 2 and part[0] == "\\" else part
    return tuple(names)
