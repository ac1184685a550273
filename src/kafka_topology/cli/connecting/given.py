"""The client settings that the command line gives."""

from __future__ import annotations

from pathlib import Path

import click


def given_settings(bootstrap: str | None, file: Path | None) -> dict[str, str]:
    """The settings of the file, with the address. Ends the command when the file is unusable."""
    from kafka_topology.spark_checks.reading.client_config import parse_properties

    settings: dict[str, str] = {}
    if file is not None:
        try:
            settings = parse_properties(file.read_text())
        except (OSError, ValueError) as error:
            raise click.UsageError(f"cannot use the client settings in {file}: {error}") from error
    if bootstrap is not None:
        settings["bootstrap.servers"] = bootstrap
    return settings
