"""`kafka-topology what-if`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .checking import spark_options
from .connecting import client_settings
from .loading import plain_console, topology_or_exit
from .reviewing import COULD_NOT_CHECK, LiveQuestion, live_options, stop

if TYPE_CHECKING:
    from ..review.live import Live
    from ..topology.model import Topology

EPILOG = """\b
Examples:
  kafka-topology what-if topology/ --lose-broker 2
  kafka-topology what-if topology/ --lose-rack a --live --bootstrap localhost:9092
  kafka-topology what-if topology/ shop.orders --partitions 24 --bootstrap localhost:9092
"""


@click.command(name="what-if", epilog=EPILOG)
@click.argument("path", type=click.Path(path_type=Path))
@click.argument("topics", nargs=-1, metavar="[TOPIC]…")
@click.option("--lose-broker", "broker", type=int, metavar="ID", help="This broker is gone.")
@click.option("--lose-rack", "rack", metavar="NAME", help="All brokers of this rack are gone.")
@click.option(
    "--partitions",
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="The topics have so many partitions: reads their live records on Spark.",
)
@click.option("--env", "environment", metavar="NAME", help="Lay this environment over the topology.")
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@live_options
@spark_options
def command(
    *,
    path: Path,
    topics: tuple[str, ...],
    broker: int | None,
    rack: str | None,
    partitions: int | None,
    environment: str | None,
    output_format: str,
    is_live: bool,
    bootstrap: str | None,
    client_config: Path | None,
    timeout: float,
    master: str | None,
    remote: str | None,
    spark_config: tuple[str, ...],
) -> None:
    """Show what happens to the topics of PATH when a broker or a rack is lost, or when partitions are added.

    By the declaration, replicas are taken to be spread as Kafka spreads them; with --live, where they are.
    For --partitions the live records are read: how many keys and records would move, and how evenly they would lie.

    \b
    Exit codes: 0 shown, 2 wrong usage, unreadable files or an impossible number of partitions,
    3 the cluster could not be asked.
    """
    if sum(given is not None for given in (broker, rack, partitions)) != 1:
        raise click.UsageError("give --lose-broker, --lose-rack or --partitions, one of them")
    if partitions is None and (topics or master or remote or spark_config):
        raise click.UsageError("topics, --master, --remote and --spark-config belong to --partitions")
    topology = topology_or_exit(path, environment)
    if partitions is not None:
        from ..spark_checks.selection import EVERYTHING
        from .checking import Question
        from .what_if_partitions import show_moves

        client = client_settings(bootstrap, client_config)
        where = {"master": master, "remote": remote}
        question = Question(topology, client, topics, EVERYTHING, timeout, **where, spark_config=spark_config)
        raise SystemExit(show_moves(question, partitions, as_json=output_format == "json"))
    question_live = LiveQuestion(is_live, bootstrap, client_config, timeout)
    _show_loss(topology, broker, rack, question_live, as_json=output_format == "json")


def _show_loss(
    topology: Topology, broker: int | None, rack: str | None, question: LiveQuestion, *, as_json: bool
) -> None:
    from kafka_topology.review.whatif import CannotTell, lose_broker, lose_rack

    live = _live(question, topology)
    try:
        found = lose_broker(topology, broker, live) if broker is not None else lose_rack(topology, rack or "", live)
    except CannotTell as error:
        raise click.UsageError(str(error)) from error
    if as_json:
        from kafka_topology.report.review_json import what_if_json

        click.echo(json.dumps(what_if_json(found), indent=2, ensure_ascii=False))
    else:
        from kafka_topology.report.review_text import print_what_if

        print_what_if(found, plain_console())
    if live is not None and live.problems:
        stop(COULD_NOT_CHECK, "could not find out: " + "; ".join(live.problems))


def _live(question: LiveQuestion, topology: Topology) -> Live | None:
    if not question.is_live:
        return None
    from kafka_topology.cluster_facts import Unreachable

    try:
        return question.ask([topology])
    except Unreachable as error:
        stop(COULD_NOT_CHECK, str(error))
