"""Writes a set of new files, for `init` and `import`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kafka_topology.files import why, write_atomically

from .exits import Exit, stop


def write_new_files(folder: Path, files: Mapping[str, str], *, overwrite: bool = False, hint: str = "") -> None:
    """All files by their paths below the folder. Ends the command when one exists, before any is written."""
    existing = [name for name in files if (folder / name).exists() or (folder / name).is_symlink()]
    if existing and not overwrite:
        stop(Exit.UNUSABLE, f"{folder}: nothing was written, because these exist: {', '.join(existing)}{hint}")
    try:
        for name, text in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            if overwrite:
                write_atomically(file, text.encode())
            else:
                _create(file, text)
    except OSError as error:
        stop(Exit.UNUSABLE, f"{error.filename or folder}: {why(error)}")


def _create(file: Path, text: str) -> None:
    """Fails when somebody else created the file in the meantime."""
    with file.open("x", encoding="utf-8") as opened:
        opened.write(text)
