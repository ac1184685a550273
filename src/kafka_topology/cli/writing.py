"""Files that commands write."""

from __future__ import annotations

from pathlib import Path

import click

from kafka_topology.files import write_atomically


def write_or_exit(file: Path, text: str) -> None:
    """Whole or not at all; exit code 2 with the reason when it cannot be written."""
    if file.is_dir():
        raise click.BadParameter(f"{file} is a folder", param_hint="--output")
    if not file.parent.is_dir():
        raise click.BadParameter(f"there is no folder {file.parent}", param_hint="--output")
    try:
        write_atomically(file, text.encode())
    except OSError as error:
        raise click.BadParameter(f"{file}: {(error.strerror or str(error)).lower()}", param_hint="--output") from error
