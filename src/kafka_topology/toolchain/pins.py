"""The SHA-256 of every jar that is fetched, committed with the code: what Maven brings must be what was tested.

Maven compares a jar with a checksum from the same server, so whoever can change the one can change the other.
`cd CACHE && sha256sum --check FILE` compares a cache with the same file by hand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path

FILE = "jars.sha256"


def pinned(folder: str) -> Mapping[str, str]:
    """Hashes by the name of a jar; none for a bundle of another version than ours."""
    return _all().get(folder, {})


def differing(folder: Path, names: list[str], pins: Mapping[str, str]) -> list[str]:
    """The jars that are not what they should be: changed, missing or more than there should be. Sorted."""
    found = {name: sha256(folder / name) for name in names if (folder / name).is_file()}
    return sorted(name for name in {*found, *pins} if found.get(name) != pins.get(name))


def sha256(file: Path) -> str:
    seen = file.stat()
    return _sha256(file, seen.st_mtime_ns, seen.st_size)


@cache
def _sha256(file: Path, changed_ns: int, size: int) -> str:  # noqa: ARG001 - a file that changed is read again
    with file.open("rb") as held:
        return hashlib.file_digest(held, "sha256").hexdigest()


@cache
def _all() -> Mapping[str, Mapping[str, str]]:
    pins: dict[str, dict[str, str]] = {}
    for line in (resources.files(__package__) / FILE).read_text(encoding="utf-8").splitlines():
        digest, place = line.split()
        folder, name = place.split("/")
        pins.setdefault(folder, {})[name] = digest
    return pins
