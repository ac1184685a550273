"""The client settings that the command line gives."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import click

_OTHERS: Final = stat.S_IRGRP | stat.S_IROTH


def given_settings(bootstrap: str | None, file: Path | None) -> dict[str, str]:
    """The settings of the file, with the address. Ends the command when the file is unusable."""
    from kafka_topology.spark_checks.reading.client_config import parse_properties

    settings: dict[str, str] = {}
    if file is not None:
        try:
            settings = parse_properties(file.read_text())
        except (OSError, ValueError) as error:
            raise click.UsageError(f"cannot use the client settings in {file}: {error}") from error
        _warn_of_readers(file, settings)
    if bootstrap is not None:
        settings["bootstrap.servers"] = bootstrap
    return settings


def _warn_of_readers(file: Path, settings: Iterable[str]) -> None:
    """A password in a file that others can read is not a secret. Windows has no such modes."""
    from kafka_topology.topology.kafka.secrets import names_secret

    secret = next(filter(names_secret, settings), None)
    mode = file.stat().st_mode
    if secret is None or os.name == "nt" or not stat.S_ISREG(mode) or not mode & _OTHERS:
        return
    click.echo(
        f"warning: {file} holds {secret}, and other users of this machine can read it (mode {stat.S_IMODE(mode):o}):"
        f" run chmod 600 {file}",
        err=True,
    )
