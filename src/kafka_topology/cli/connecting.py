"""The options to reach a cluster, and the client settings made from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from .arguments import FiniteRange

CONNECTION = ("bootstrap", "client_config", "timeout")


def connection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option(
            "--timeout",
            type=FiniteRange(min=0, min_open=True, max=3600),
            default=10.0,
            show_default=True,
            metavar="SECONDS",
            help="How long to wait for Kafka to answer.",
        ),
        click.option(
            "--client-config",
            metavar="FILE",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="Client settings, one name=value per line, with librdkafka's names.",
        ),
        click.option("--bootstrap", metavar="HOST:PORT", help="Address of any broker."),
    ):
        command = option(command)
    return command


def client_settings(bootstrap: str | None, file: Path | None) -> Mapping[str, str]:
    """Settings for librdkafka. Ends the command when they contain no address."""
    from kafka_topology.spark_checks.reading.client_config import parse_properties

    settings: dict[str, str] = {}
    if file is not None:
        try:
            settings = parse_properties(file.read_text())
        except (OSError, ValueError) as error:
            raise click.UsageError(f"cannot use the client settings in {file}: {error}") from error
    if bootstrap is not None:
        settings["bootstrap.servers"] = bootstrap
    if "bootstrap.servers" not in settings:
        raise click.UsageError(
            "no Kafka address; pass --bootstrap HOST:PORT, or set bootstrap.servers in the --client-config file"
        )
    return settings
