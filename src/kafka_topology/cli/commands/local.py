"""`kafka-topology local`: a real Kafka on this machine."""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..arguments import FiniteRange
from ..arguments import format_option as _format_option
from ..exits import INTERRUPTED, Command, Exit, StrictGroup
from ..writing import write_outputs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafka_topology.local import ClusterStatus
    from kafka_topology.report.findings.formats import Output

data_option = click.option(
    "--data",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the cluster. Default: one in your state folder.",
)
format_option = _format_option(["text", "json"], "json is for programs.")
EPILOG = """\b
Examples:
  kafka-topology local start --brokers 3
  kafka-topology local tool kafka-topics --list
  kafka-topology local stop
"""
START_EPILOG = """\b
Examples:
  kafka-topology local start --brokers 3 --port 9092
  kafka-topology local start --secure --data secured
  kafka-topology local start --like-new --brokers 3 --data new
"""
START_EXITS = {
    Exit.FINE: "all brokers run",
    Exit.UNUSABLE: "wrong usage, or options that do not fit the existing cluster",
    Exit.COULD_NOT_CHECK: "Kafka could not be downloaded or did not start",
}
STOP_EXITS = {
    Exit.FINE: "no broker runs",
    Exit.UNUSABLE: "wrong usage",
    Exit.COULD_NOT_CHECK: "a broker could not be stopped, or the data could not be deleted",
}
STATUS_EXITS = {
    Exit.FINE: "all brokers run",
    Exit.UNUSABLE: "wrong usage",
    Exit.COULD_NOT_CHECK: "not all brokers run",
}
_LOGINS = {
    "PLAINTEXT": "none",
    "SASL_PLAINTEXT": "password, token",
    "SASL_SSL": "password, token",
    "SSL": "certificate",
}


@contextmanager
def _errors() -> Iterator[None]:
    """Prints errors that the user can fix, without a traceback."""
    from kafka_topology.toolchain import FixableError

    try:
        yield
    except FixableError as error:
        click.echo(f"error: {error.message}", err=True)
        if error.fix:
            click.echo(error.fix, err=True)
        raise SystemExit(error.exit_code) from None
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        raise SystemExit(INTERRUPTED) from None


@click.group(cls=StrictGroup, epilog=EPILOG)
def command() -> None:
    """Run a real Kafka on this machine.

    The first start downloads Kafka with Maven into your cache. Brokers listen
    on 127.0.0.1 only and keep running until you stop them.
    """


@command.command(cls=Command, exits=START_EXITS, epilog=START_EPILOG)
@click.option("--brokers", type=int, metavar="NUMBER", help="Number of brokers, 1 to 9. Default: 1 for a new cluster.")
@data_option
@click.option(
    "--port", type=int, metavar="NUMBER", help="Port of the first broker. Default: free ports, kept for later starts."
)
@click.option("--heap", metavar="SIZE", help="Java heap of each broker. Default: 256m.")
@click.option("--secure", is_flag=True, help="Add listeners with TLS and SASL, users and certificates.")
@click.option("--like-new", is_flag=True, help="Kafka's own defaults, and no topic for offsets yet.")
@click.option(
    "--timeout",
    type=FiniteRange(min=1),
    default=90.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for the brokers.",
)
@format_option
def start(  # noqa: PLR0917 - click passes them by name
    brokers: int | None,
    data: Path | None,
    port: int | None,
    heap: str | None,
    secure: bool,
    like_new: bool,
    timeout: float,
    outputs: tuple[Output, ...],
) -> None:
    """Start a cluster and wait until it is ready.

    If the cluster already runs, only its status is shown. A stopped cluster
    resumes with its data and ports. An authorizer enforces ACLs; clients
    without credentials may do everything.

    With --secure the brokers have three more listeners: SASL_PLAINTEXT and
    SASL_SSL (user admin, who may do everything, and user app), and SSL with
    client certificates. The passwords are in a private file; `local status`
    shows its path.

    With --like-new the cluster is as Kafka makes it: its own defaults for
    replication, topics created automatically, no authorizer (unless you add
    --secure), and no topic for offsets until the first group needs it.
    """
    from kafka_topology.extras import require
    from kafka_topology.local import LocalCluster
    from kafka_topology.local.processes.interrupts import interrupt_on_termination

    # Before brokers run. Only the certificates of --secure need cryptography.
    require("local", "kafka-topology local start", without=() if secure else ("cryptography",))
    with _errors():
        interrupt_on_termination()
        cluster = LocalCluster(data, brokers=brokers, port=port, heap=heap, secure=secure, like_new=like_new)
        if any(output.name == "text" for output in outputs):
            click.echo(f"Starting Kafka in {cluster.data} ...", err=True)
        _show(cluster.start(timeout), outputs)


@command.command(cls=Command, exits=STOP_EXITS, epilog="Example: kafka-topology local stop --delete")
@data_option
@click.option("--delete", is_flag=True, help="Delete the cluster's data too.")
@format_option
def stop(data: Path | None, delete: bool, outputs: tuple[Output, ...]) -> None:
    """Stop the cluster. Keeps its data unless you pass --delete."""
    from kafka_topology.local import LocalCluster

    with _errors():
        _show(LocalCluster(data).stop(delete=delete), outputs)


@command.command(cls=Command, exits=STATUS_EXITS, epilog="Example: kafka-topology local status --format json")
@data_option
@format_option
def status(data: Path | None, outputs: tuple[Output, ...]) -> None:
    """Show the cluster's brokers, addresses and logs."""
    from kafka_topology.local import LocalCluster

    with _errors():
        seen = LocalCluster(data).status()
        _show(seen, outputs)
        raise SystemExit(Exit.FINE if seen.state == "running" else Exit.COULD_NOT_CHECK)


@command.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog="Example: kafka-topology local tool kafka-topics --create --topic t --partitions 3",
)
@data_option
@click.argument("name")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def tool(data: Path | None, name: str, arguments: tuple[str, ...]) -> None:
    """Run one of Kafka's own tools on the cluster.

    Adds --bootstrap-server, and exits with the tool's own code. Put --data, if
    you need it, before the tool's name.
    """
    from kafka_topology.local import LocalCluster
    from kafka_topology.local.tools import run_attached

    with _errors():
        raise SystemExit(run_attached(name, arguments, LocalCluster(data).bootstrap_servers))


def _show(seen: ClusterStatus, outputs: tuple[Output, ...]) -> None:
    write_outputs(outputs, lambda name: json.dumps(seen.as_json(), indent=2) + "\n" if name == "json" else _text(seen))


def _text(seen: ClusterStatus) -> str:
    return "".join(f"{line}\n" for line in _lines(seen))


def _lines(seen: ClusterStatus) -> Iterator[str]:
    yield f"Kafka:      {seen.kafka or '-'}, {seen.state}"
    yield f"Folder:     {seen.data}"
    if not seen.brokers:
        return
    yield f"Bootstrap:  {_some(seen.bootstrap_servers)}"
    if seen.credentials and seen.ca:
        yield f"Passwords:  {_shown(seen.credentials, seen)}"
        yield f"CA:         {_shown(seen.ca, seen)}"
        yield f"\n{'LISTENER':<16}{'LOGIN':<17}BOOTSTRAP"
        for name, addresses in seen.listeners.items():
            yield f"{name:<16}{_LOGINS[name]:<17}{_some(addresses)}"
    yield f"\n{'BROKER':<8}{'STATE':<10}{'PID':<9}{'PORT':<7}{'RACK':<6}LOG"
    for broker in seen.brokers:
        columns = f"{broker.id:<8}{broker.state:<10}{broker.pid or '-':<9}{broker.port:<7}{broker.rack:<6}"
        yield columns + _shown(broker.log, seen)


def _some(addresses: str | None) -> str:
    """The first three: enough to find the others, and short enough for a line. JSON has all."""
    return ",".join((addresses or "").split(",")[:3])


def _shown(path: str, seen: ClusterStatus) -> str:
    file = Path(path)
    return str(file.relative_to(seen.data) if file.is_relative_to(seen.data) else file)
