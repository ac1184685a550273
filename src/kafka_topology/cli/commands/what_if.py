"""`kafka-topology what-if`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kafka_topology.topology.model.words import listed

from ..arguments import Positive, deployed_argument, environment_option, format_option
from ..checking.question import spark_options
from ..connecting import client_settings, has_cluster, stack_options
from ..exits import Command, Exit, stop
from ..loading import topology_or_exit
from ..reviewing import LiveQuestion, live_options, live_question
from ..writing import shown_or_json

if TYPE_CHECKING:
    from kafka_topology.report.findings.formats import Output
    from kafka_topology.review.live import Live
    from kafka_topology.topology.model.declared import Topology

EPILOG = """\b
Examples:
  kafka-topology what-if topology/ --lose-broker 2
  kafka-topology what-if topology/ --lose-broker 2 --lose-broker 3
  kafka-topology what-if topology/ --lose-rack a --live \\
      --bootstrap localhost:9092
  kafka-topology what-if topology/ shop.orders --partitions 24
  kafka-topology what-if topology/ shop.orders --partitions 24 \\
      --bootstrap localhost:9092
"""
EXITS = {
    Exit.FINE: "shown",
    Exit.UNUSABLE: "wrong usage, unreadable files, or an impossible number of partitions",
    Exit.COULD_NOT_CHECK: "the cluster could not be asked",
}


@click.command(name="what-if", cls=Command, exits=EXITS, epilog=EPILOG)
@deployed_argument
@click.argument("topics", nargs=-1, metavar="[TOPIC]…")
@click.option(
    "--lose-broker",
    "brokers",
    type=int,
    multiple=True,
    metavar="ID",
    help="Assume that this broker is lost. Repeat it for several at the same time.",
)
@click.option(
    "--lose-rack",
    "racks",
    multiple=True,
    metavar="NAME",
    help="Assume that all brokers of this rack are lost. Repeat it for several at the same time.",
)
@click.option(
    "--partitions",
    type=Positive(),
    metavar="NUMBER",
    help="Assume this many partitions: by the declaration or, with a cluster, by its live records, on Spark.",
)
@environment_option
@stack_options(lambda given: given["is_live"] or given["partitions"] is not None)
@format_option(["text", "json"])
@live_options
@spark_options
def command(
    *,
    path: Path,
    topics: tuple[str, ...],
    brokers: tuple[int, ...],
    racks: tuple[str, ...],
    partitions: int | None,
    environment: str | None,
    outputs: tuple[Output, ...],
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

    --partitions shows what more partitions mean for each TOPIC, or for all topics: which share of the keys moves, and
    who is affected. With the address of a cluster it reads the live records: how many keys and records would move, and
    how evenly they would be spread. TOPIC belongs to --partitions only.
    """
    if sum(given is not None for given in (brokers or None, racks or None, partitions)) != 1:
        raise click.UsageError("give exactly one of --lose-broker, --lose-rack and --partitions")
    if partitions is None and (topics or master or remote or spark_config):
        raise click.UsageError("topics, --master, --remote and --spark-config belong to --partitions")
    if partitions is not None and not (
        is_live or master or remote or spark_config or has_cluster(bootstrap, client_config)
    ):
        raise SystemExit(_show_declared(topology_or_exit(path, environment), topics, partitions, outputs))
    if partitions is not None:
        from kafka_topology.spark_checks.reading.selection import EVERYTHING

        from ..checking.partitions import show_moves
        from ..checking.question import Question

        client = client_settings(bootstrap, client_config)
        topology = topology_or_exit(path, environment)
        where = {"master": master, "remote": remote}
        question = Question(topology, client, topics, EVERYTHING, timeout, **where, spark_config=spark_config)
        raise SystemExit(show_moves(question, partitions, outputs))
    question_live = live_question(is_live=is_live, bootstrap=bootstrap, client_config=client_config, timeout=timeout)
    topology = topology_or_exit(path, environment)
    _show_loss(topology, brokers, racks, question_live, outputs)


def _show_declared(topology: Topology, topics: tuple[str, ...], partitions: int, outputs: tuple[Output, ...]) -> Exit:
    from ..checking.declared_partitions import as_data, declared_answers, exit_of, print_answers

    answers = declared_answers(topology, topics, partitions)
    shown_or_json(outputs, lambda console: print_answers(answers, console), as_data(answers, partitions))
    return exit_of(answers)


def _show_loss(
    topology: Topology,
    brokers: tuple[int, ...],
    racks: tuple[str, ...],
    question: LiveQuestion,
    outputs: tuple[Output, ...],
) -> None:
    from kafka_topology.report.review.json_review import what_if_json
    from kafka_topology.report.review.text import print_what_if
    from kafka_topology.review.what_if.question import CannotTell, lose_brokers, lose_racks

    live = _live(question, topology)
    try:
        found = lose_brokers(topology, brokers, live) if brokers else lose_racks(topology, racks, live)
    except CannotTell as error:
        raise click.UsageError(str(error)) from error
    shown_or_json(outputs, lambda console: print_what_if(found, console), what_if_json(found))
    if live is not None and live.problems:
        stop(Exit.COULD_NOT_CHECK, "could not read: " + "; ".join(live.problems))
    if found.unchecked:
        stop(Exit.COULD_NOT_CHECK, f"could not read min.insync.replicas of {listed(found.unchecked)}")


def _live(question: LiveQuestion, topology: Topology) -> Live | None:
    if not question.is_live:
        return None
    from kafka_topology.cluster.outcomes import ClusterUnreachableError

    try:
        return question.ask([topology])
    except ClusterUnreachableError as error:
        stop(Exit.COULD_NOT_CHECK, str(error))
