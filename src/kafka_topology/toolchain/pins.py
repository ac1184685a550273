"""The SHA-256 of every jar that is fetched, committed with the code: what Maven brings must be what was tested.

Maven compares a jar with a checksum from the same server, so whoever can change the one can change the other.
`cd CACHE && sha256sum --check FILE` compares a cache with the same file by hand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from .errors import ToolchainError

FILE = "jars.sha256"


def pinned(folder: str) -> Mapping[str, str]:
    """Hashes by the name of a jar; none for a bundle of another version than ours."""
    return _all().get(folder, {})


def differing(jars: Iterable[Path], pins: Mapping[str, str]) -> list[str]:
    """The names of jars that are not what they should be: changed, missing or more than there should be. Sorted."""
    found = {jar.name: sha256(jar) for jar in jars if jar.is_file()}
    return sorted(name for name in {*found, *pins} if found.get(name) != pins.get(name))


def refuse_differing(jars: Iterable[Path], pins: Mapping[str, str], title: str) -> None:
    """Raises if Maven brought something else than what was tested."""
    wrong = differing(jars, pins)
    if wrong:
        more = f" and {len(wrong) - 3} more" if len(wrong) > 3 else ""
        raise ToolchainError(
            f"Maven brought other jars of {title} than kafka-topology was tested with:"
            f" {', '.join(wrong[:3])}{more} differ from their SHA-256. They are not used.",
            "Look at the mirror in Maven's settings.xml and at ~/.m2/repository: a jar may have been changed there.",
        )


def sha256(file: Path) -> str:
    seen = file.stat()
    return _sha256(file, seen.st_mtime_ns, seen.st_size)


@cache
def _sha256(file: Path, changed_ns: int, size: int) -> str:  # noqa: ARG001 - a file that changed is read again
    with file.open("rb") as held:
        return hashlib.file_digest(held, "sha256").hexdigest()


@cache
def _all() -> Mapping[str, Mapping[str, str]]:
    return read((resources.files(__package__) / FILE).read_text(encoding="utf-8"))


def read(text: str) -> Mapping[str, Mapping[str, str]]:
    """Hashes by folder and name, from what `sha256sum */*.jar` prints."""
    pins: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        digest, place = line.split()
        folder, name = place.split("/")
        pins.setdefault(folder, {})[name] = digest
    return pins
