"""Which other files a schema is made of."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

# A reference to a fragment of the same file, or to an address, names no other file.
_JSON = re.compile(r'"\$ref"\s*:\s*"([^"#:]+)')
_PROTOBUF = re.compile(
    r"""(?:^|;)[ \t]*import\s+(?:public\s+|weak\s+|option\s+)?["']([^"':]+)["']\s*(?=;)""", re.MULTILINE
)


def referred(path: str, text: str) -> Iterator[str]:
    """The paths of the files that a schema refers to, beside its own."""
    pattern = _PROTOBUF if path.endswith(".proto") else _JSON
    for found in dict.fromkeys(pattern.findall(text)):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(path), found))


def changed_line(old: str, new: str) -> int:
    """The first line of the new text that is not in the old one at that place, counted from 1."""
    before, after = old.splitlines(), new.splitlines()
    same = next((at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), None)
    return min(len(before), max(len(after) - 1, 0)) + 1 if same is None else same + 1


def whole_schema(path: str, schemas: Mapping[str, str]) -> dict[str, str]:
    """The text of the schema and of every file that it is made of, as far as they were read."""
    held: dict[str, str] = {}
    left = [path]
    while left:
        name = left.pop()
        if name not in held and name in schemas:
            held[name] = schemas[name]
            left.extend(referred(name, schemas[name]))
    return held
