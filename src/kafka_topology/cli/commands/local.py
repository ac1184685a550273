"""`kafka-topology local`: a real Kafka on this machine."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafka_topology.local import ClusterStatus

data_option = click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the cluster. Default: one in your state folder.",
)
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="json is for programs.",
)
_LOGINS = {
    "PLAINTEXT": "none",
    "SASL_PLAINTEXT": "password, token",
    "SASL_SSL": "password, token",
    "SSL": "certificate",
}


@contextmanager
def _errors() -> Iterator[None]:
    """What a user can mend is told in words."""
    from kafka_topology.toolchain import RemedyError

    try:
        yield
    except RemedyError as error:
        click.echo(f"error: {error.message}", err=True)
        if error.remedy:
            click.echo(error.remedy, err=True)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        sys.exit(130)


@click.group()
def command() -> None:
    """Run a real Kafka on this machine.

    The first start fetches Kafka with Maven into your cache. Brokers listen on
    127.0.0.1 only, and go on running until they are stopped.

    \b
    Example:
      kafka-topology local start --brokers 3
      kafka-topology local tool kafka-topics --list
      kafka-topology local stop
    """


@command.command()
@click.option("--brokers", type=int, help="How many, 1 to 9. Default: 1 for a new cluster.")
@data_option
@click.option("--port", type=int, help="Of the first broker. Default: free ones, then kept.")
@click.option("--heap", help="Of each broker. Default: 256m.")
@click.option("--secure", is_flag=True, help="Add listeners with TLS and SASL, users and certificates.")
@click.option("--timeout", type=click.FloatRange(min=1), default=90.0, help="Seconds to wait.")
@format_option
def start(  # noqa: PLR0917 - click passes them by name
    brokers: int | None,
    data: Path | None,
    port: int | None,
    heap: str | None,
    secure: bool,
    timeout: float,
    form: str,
) -> None:
    """Start a cluster, and wait until it can be used.

    A cluster that runs already is only reported; one that was stopped goes on
    with its data and its ports. Access rules are enforced by an authorizer;
    clients without credentials may do everything.

    With --secure the brokers have three more listeners: SASL_PLAINTEXT and
    SASL_SSL (users admin, who may do everything, and app), and SSL with
    client certificates. The passwords are in a private file, which
    `local status` names.

    \b
    Example:
      kafka-topology local start --brokers 3 --port 9092
      kafka-topology local start --secure --data secured
    """
    from kafka_topology.local import LocalCluster
    from kafka_topology.local.interrupts import interrupt_on_termination

    with _errors():
        interrupt_on_termination()
        cluster = LocalCluster(data, brokers=brokers, port=port, heap=heap, secure=secure)
        if form == "text":
            click.echo(f"Starting Kafka in {cluster.data} ...", err=True)
        _show(cluster.start(timeout), form)


@command.command()
@data_option
@click.option("--delete", is_flag=True, help="Delete the cluster's data too.")
@format_option
def stop(data: Path | None, delete: bool, form: str) -> None:
    """Stop the cluster. Its data is kept unless --delete is given.

    \b
    Example:
      kafka-topology local stop --delete
    """
    from kafka_topology.local import LocalCluster

    with _errors():
        _show(LocalCluster(data).stop(delete=delete), form)


@command.command()
@data_option
@format_option
def status(data: Path | None, form: str) -> None:
    """Show the cluster's brokers, addresses and logs.

    Exit code 0 when all brokers run, 3 when not.

    \b
    Example:
      kafka-topology local status --format json
    """
    from kafka_topology.local import LocalCluster

    with _errors():
        seen = LocalCluster(data).status()
        _show(seen, form)
        sys.exit(0 if seen.state == "running" else 3)


@command.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@data_option
@click.argument("name")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def tool(data: Path | None, name: str, arguments: tuple[str, ...]) -> None:
    """Run one of Kafka's own tools on the cluster.

    --bootstrap-server is added. --data, if needed, comes before the tool's name.

    \b
    Example:
      kafka-topology local tool kafka-topics --create --topic t --partitions 3
    """
    from kafka_topology.local import LocalCluster
    from kafka_topology.local.tools import run_attached

    with _errors():
        sys.exit(run_attached(name, arguments, LocalCluster(data).bootstrap_servers))


def _show(seen: ClusterStatus, form: str) -> None:
    if form == "json":
        click.echo(json.dumps(seen.as_json(), indent=2))
        return
    click.echo(f"Kafka:      {seen.kafka or '-'}, {seen.state}")
    click.echo(f"Folder:     {seen.data}")
    if not seen.brokers:
        return
    click.echo(f"Bootstrap:  {_some(seen.bootstrap_servers)}")
    if seen.credentials and seen.ca:
        click.echo(f"Passwords:  {_shown(seen.credentials, seen)}")
        click.echo(f"CA:         {_shown(seen.ca, seen)}")
        click.echo(f"\n{'LISTENER':<16}{'LOGIN':<17}BOOTSTRAP")
        for name, addresses in seen.listeners.items():
            click.echo(f"{name:<16}{_LOGINS[name]:<17}{_some(addresses)}")
    click.echo(f"\n{'BROKER':<8}{'STATE':<10}{'PID':<9}{'PORT':<7}{'RACK':<6}LOG")
    for broker in seen.brokers:
        columns = f"{broker.id:<8}{broker.state:<10}{broker.pid or '-':<9}{broker.port:<7}{broker.rack:<6}"
        click.echo(columns + _shown(broker.log, seen))


def _some(addresses: str | None) -> str:
    """Three are enough to find the others, and fit on a line; JSON has all."""
    return ",".join((addresses or "").split(",")[:3])


def _shown(path: str, seen: ClusterStatus) -> str:
    file = Path(path)
    return str(file.relative_to(seen.data) if file.is_relative_to(seen.data) else file)
