"""`kafka-topology what-if`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from .loading import plain_console, topology_or_exit
from .reviewing import COULD_NOT_CHECK, LiveQuestion, live_options, stop

EPILOG = """\b
Examples:
  kafka-topology what-if topology/ --lose-broker 2
  kafka-topology what-if topology/ --lose-rack a --live --bootstrap localhost:9092
"""


@click.command(name="what-if", epilog=EPILOG)
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--lose-broker", "broker", type=int, metavar="ID", help="This broker is gone.")
@click.option("--lose-rack", "rack", metavar="NAME", help="All brokers of this rack are gone.")
@click.option("--env", "environment", metavar="NAME", help="Lay this environment over the topology.")
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@live_options
def command(
    *,
    path: Path,
    broker: int | None,
    rack: str | None,
    environment: str | None,
    output_format: str,
    is_live: bool,
    bootstrap: str | None,
    client_config: Path | None,
    timeout: float,
) -> None:
    """Show which topics of PATH lose writes, and which groups stall, when a broker or a rack is lost.

    By the declaration, replicas are taken to be spread as Kafka spreads them; with --live, where they are.

    \b
    Exit codes: 0 shown, 2 wrong usage or unreadable files, 3 the cluster could not be asked.
    """
    from kafka_topology.review.whatif import CannotTell, lose_broker, lose_rack

    if (broker is None) == (rack is None):
        raise click.UsageError("give --lose-broker or --lose-rack, one of them")
    topology = topology_or_exit(path, environment)
    question = LiveQuestion(is_live, bootstrap, client_config, timeout)
    live = None
    if is_live:
        from kafka_topology.cluster_facts import Unreachable

        try:
            live = question.ask([topology])
        except Unreachable as error:
            stop(COULD_NOT_CHECK, str(error))
    try:
        found = lose_broker(topology, broker, live) if broker is not None else lose_rack(topology, rack or "", live)
    except CannotTell as error:
        raise click.UsageError(str(error)) from error
    if output_format == "json":
        from kafka_topology.report.review_json import what_if_json

        click.echo(json.dumps(what_if_json(found), indent=2, ensure_ascii=False))
    else:
        from kafka_topology.report.review_text import print_what_if

        print_what_if(found, plain_console())
    if live is not None and live.problems:
        stop(COULD_NOT_CHECK, "could not find out: " + "; ".join(live.problems))
