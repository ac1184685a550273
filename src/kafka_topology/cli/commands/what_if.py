"""`kafka-topology what-if`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..arguments import environment_option, format_option
from ..checking.question import spark_options
from ..connecting import client_settings
from ..exits import Command, Exit, stop
from ..loading import topology_or_exit
from ..reviewing import LiveQuestion, live_options, live_question
from ..writing import plain_console

if TYPE_CHECKING:
    from kafka_topology.review.live import Live
    from kafka_topology.topology.model.declared import Topology

EPILOG = """\b
Examples:
  kafka-topology what-if topology/ --lose-broker 2
  kafka-topology what-if topology/ --lose-rack a --live \\
      --bootstrap localhost:9092
  kafka-topology what-if topology/ shop.orders --partitions 24 \\
      --bootstrap localhost:9092
"""
EXITS = {
    Exit.FINE: "shown",
    Exit.UNUSABLE: "wrong usage, unreadable files, or an impossible number of partitions",
    Exit.COULD_NOT_CHECK: "the cluster could not be asked",
}


@click.command(name="what-if", cls=Command, exits=EXITS, epilog=EPILOG)
@click.argument("path", type=click.Path(path_type=Path))
@click.argument("topics", nargs=-1, metavar="[TOPIC]…")
@click.option("--lose-broker", "broker", type=int, metavar="ID", help="Assume that this broker is lost.")
@click.option("--lose-rack", "rack", metavar="NAME", help="Assume that all brokers of this rack are lost.")
@click.option(
    "--partitions",
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="Assume this many partitions; reads the live records of the topics on Spark.",
)
@environment_option
@format_option(["text", "json"], "Output format.")
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

    Without --live, replicas are assumed to be spread as Kafka spreads them; with it, they are where they are now.
    --partitions reads the live records of each TOPIC, or of all topics, and needs --bootstrap or --client-config: how
    many keys and records would move, and how evenly they would be spread. TOPIC belongs to --partitions only.
    """
    if sum(given is not None for given in (broker, rack, partitions)) != 1:
        raise click.UsageError("give exactly one of --lose-broker, --lose-rack and --partitions")
    if partitions is None and (topics or master or remote or spark_config):
        raise click.UsageError("topics, --master, --remote and --spark-config belong to --partitions")
    if partitions is not None:
        from kafka_topology.spark_checks.reading.selection import EVERYTHING

        from ..checking.partitions import show_moves
        from ..checking.question import Question

        client = client_settings(bootstrap, client_config)
        topology = topology_or_exit(path, environment)
        where = {"master": master, "remote": remote}
        question = Question(topology, client, topics, EVERYTHING, timeout, **where, spark_config=spark_config)
        raise SystemExit(show_moves(question, partitions, as_json=output_format == "json"))
    question_live = live_question(is_live=is_live, bootstrap=bootstrap, client_config=client_config, timeout=timeout)
    topology = topology_or_exit(path, environment)
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
        from kafka_topology.report.review.json_review import what_if_json

        click.echo(json.dumps(what_if_json(found), indent=2, ensure_ascii=False))
    else:
        from kafka_topology.report.review.text import print_what_if

        print_what_if(found, plain_console())
    if live is not None and live.problems:
        stop(Exit.COULD_NOT_CHECK, "could not read: " + "; ".join(live.problems))


def _live(question: LiveQuestion, topology: Topology) -> Live | None:
    if not question.is_live:
        return None
    from kafka_topology.cluster.outcomes import ClusterUnreachableError

    try:
        return question.ask([topology])
    except ClusterUnreachableError as error:
        stop(Exit.COULD_NOT_CHECK, str(error))
