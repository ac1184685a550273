"""The options to reach a cluster, and the client settings made from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from ..arguments import FiniteRange
from .completing import LONGEST_TIMEOUT
from .given import given_settings
from .taken import taken, why_no_stack

CONNECTION = ("bootstrap", "client_config", "timeout")


def connection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option(
            "--timeout",
            type=FiniteRange(min=0, min_open=True, max=LONGEST_TIMEOUT),
            default=10.0,
            show_default=True,
            metavar="SECONDS",
            help="How long to wait for brokers that do not answer, all requests together.",
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


def has_cluster(bootstrap: str | None, file: Path | None) -> bool:
    """Whether the command line or a stack says how to reach a cluster."""
    stack = taken()
    return bootstrap is not None or file is not None or (stack is not None and stack.client is not None)


def client_settings(bootstrap: str | None, file: Path | None) -> Mapping[str, str]:
    """Settings for librdkafka, also from the stack of the command. Ends the command when they contain no address."""
    stack = taken()
    if stack is not None and stack.client is not None:
        return stack.client
    settings = given_settings(bootstrap, file)
    if "bootstrap.servers" not in settings:
        raise click.UsageError(
            "no Kafka address; pass --bootstrap HOST:PORT, or set bootstrap.servers in the --client-config file"
            f"{why_no_stack()}"
        )
    return settings
