"""How commands reach a cluster: the options for it, and the client settings that they give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click


def connection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option(
            "--timeout", default=10.0, show_default=True, metavar="SECONDS", help="How long to wait for Kafka."
        ),
        click.option(
            "--client-config",
            metavar="FILE",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="Client settings, name=value per line, with librdkafka's names.",
        ),
        click.option("--bootstrap", metavar="HOST:PORT", help="Kafka's address; any broker will do."),
    ):
        command = option(command)
    return command


def client_settings(bootstrap: str | None, file: Path | None) -> Mapping[str, str]:
    """librdkafka's settings. Without an address the command is used wrongly."""
    from kafka_topology.spark_checks.client_config import parse_properties

    settings: dict[str, str] = {}
    if file is not None:
        try:
            settings = parse_properties(file.read_text())
        except (OSError, ValueError) as error:
            raise click.UsageError(f"client configuration {file}: {error}") from error
    if bootstrap is not None:
        settings["bootstrap.servers"] = bootstrap
    if "bootstrap.servers" not in settings:
        raise click.UsageError(
            "no Kafka address: give --bootstrap HOST:PORT, or bootstrap.servers in the --client-config file"
        )
    return settings
