"""`kafka-topology check`: fills arguments, asks Kafka and Spark, prints the report."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..arguments import environment_option
from ..checking.question import Question, spark_options
from ..checking.rows import rows_option
from ..checking.state_file import held_alone, read_state, remember
from ..connecting import client_settings, connection_options, stack_options
from ..exits import Command, Exit, exit_code
from ..loading import load_or_exit, loaded_topology
from ..reporting import formats_option, keep_inputs_of_formats
from ..writing import files_of

if TYPE_CHECKING:
    from kafka_topology.spark_checks.reading.selection import Selection
    from kafka_topology.spark_checks.results.report import Report

EPILOG = """\b
Examples:
  kafka-topology check --stack prod --since 1d
  kafka-topology check topology.yaml --bootstrap localhost:9092
  kafka-topology check topology/ --bootstrap localhost:9092 --since 1d \\
      --format junit=checks.xml,text
  kafka-topology check topology/ --client-config prod.properties \\
      --incremental checked.json
  kafka-topology check topology/ --bootstrap kafka:9092 --sample 0.05 \\
      --remote sc://spark:15002
  kafka-topology check topology/ --bootstrap localhost:9092 \\
      --violations violations/
"""
EXITS = {
    Exit.FINE: "no violations, or no more than the topology tolerates",
    Exit.FINDINGS: "violations, or a hanging transaction",
    Exit.UNUSABLE: "wrong usage, or a file cannot be read or written",
    Exit.COULD_NOT_CHECK: "something could not be checked, judged or written, or the check was interrupted",
}


@click.command(name="check", cls=Command, exits=EXITS, epilog=EPILOG)
@click.argument("path", type=click.Path(exists=True, path_type=Path), required=False)
@environment_option
@stack_options()
@click.option("--topic", "topics", metavar="NAME", multiple=True, help="Check only this topic; repeatable.")
@click.option("--since", metavar="TIME|DURATION", help="Read records from then on: 2026-03-01T00:00:00Z, or 12h ago.")
@click.option(
    "--incremental",
    "state_file",
    metavar="STATE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Read what is new since the last check; this file remembers how far it got.",
)
@click.option(
    "--sample",
    "share",
    type=float,
    metavar="SHARE",
    help="Read this share of the offsets, above 0 and up to 1, in random blocks.",
)
@click.option("--seed", type=int, metavar="NUMBER", help="Draw the same sample as a report with this seed.")
@click.option(
    "--require-records", is_flag=True, help="A topic of which no record was read could not be checked: exit code 3."
)
@spark_options
@formats_option
@click.option("--output", metavar="FILE", type=click.Path(path_type=Path), help="Write the report there as well.")
@click.option(
    "--violations",
    "violations",
    metavar="PATH",
    help="Write a row for each violation to this folder, or add it there; as Spark's machines see it.",
)
@click.option(
    "--violations-format",
    "violations_format",
    metavar="NAME",
    help="parquet (the default), json, or one that Spark has: delta; iceberg takes a table for PATH.",
)
@click.option(
    "--allow-expression",
    "any_expression",
    is_flag=True,
    help="Run a partitioner's expression whatever it calls: it can read files and run code as Spark does.",
)
@click.option("--show-keys", is_flag=True, help="Show keys in clear; they may be personal data.")
@connection_options
def command(
    *,
    path: Path,
    bootstrap: str | None,
    environment: str | None,
    topics: tuple[str, ...],
    client_config: Path | None,
    since: str | None,
    state_file: Path | None,
    share: float | None,
    seed: int | None,
    require_records: bool,
    master: str | None,
    remote: str | None,
    spark_config: tuple[str, ...],
    formats: tuple[str, ...],
    output: Path | None,
    violations: str | None,
    violations_format: str | None,
    any_expression: bool,
    show_keys: bool,
    timeout: float,
) -> None:
    """Compare the live records with the declared keys, on Spark.

    Reads each topic once, up to its end when the check starts, and reports which records break the declaration.
    With --output the report goes to the file and the summary to the terminal.
    """
    from ..checking.outputs import check_outputs, write_report

    outputs = check_outputs(formats, output)
    loaded = load_or_exit(path, environment)
    keep_inputs_of_formats(outputs, [*files_of(path, loaded), client_config, state_file])
    rows_to = rows_option(violations, violations_format)
    selection = _selection(since, state_file, share, seed)
    topology = loaded_topology(loaded)
    question = Question(
        topology,
        client_settings(bootstrap, client_config),
        topics,
        selection,
        timeout,
        master=master,
        remote=remote,
        spark_config=spark_config,
    )
    report = question.ask(
        show_keys=show_keys, require_records=require_records, any_expression=any_expression, rows_to=rows_to
    )
    write_report(report, topology, outputs, path, environment)
    if state_file is not None and report.state is not None:
        if _lost_rows(report):
            click.echo(f"{state_file} was not changed: the next check reads the same records again", err=True)
        else:
            remember(state_file, report.state)
    raise SystemExit(_exit_code(report))


def _lost_rows(report: Report) -> bool:
    """Whether the violations that were to be written are not all there, in a check that was not interrupted before."""
    return report.complete and report.written is not None and report.written.problem is not None


def _exit_code(report: Report) -> int:
    if not report.complete or _lost_rows(report):
        return Exit.COULD_NOT_CHECK
    return exit_code(failing=report.failing, unchecked=report.unchecked)


def _selection(since: str | None, state_file: Path | None, share: float | None, seed: int | None) -> Selection:
    from kafka_topology.spark_checks.reading.selection import Sample, Selection

    if seed is not None and share is None:
        raise click.UsageError("--seed needs --sample")
    if state_file is not None and (since is not None or share is not None):
        raise click.UsageError("--incremental skips no record: do not combine it with --since or --sample")
    sample = None
    if share is not None:
        try:
            sample = Sample(share, secrets.randbelow(1 << 31) if seed is None else seed)
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="--sample") from None
    if state_file is not None:
        click.get_current_context().with_resource(held_alone(state_file))
    return Selection(
        since=None if since is None else _moment(since, datetime.now(UTC)),
        state=None if state_file is None else read_state(state_file),
        sample=sample,
    )


def _moment(text: str, now: datetime) -> datetime:
    from kafka_topology.topology.model.units import parse_duration, parse_moment

    moment = parse_moment(text)
    if moment is None and (duration := parse_duration(text)) is not None and duration >= 0:
        try:
            moment = now - timedelta(milliseconds=duration)
        except OverflowError:
            moment = datetime.fromtimestamp(0, UTC)
    if moment is None:
        message = f"`{text}` is neither a time with its zone, such as 2026-03-01T00:00:00Z, nor a duration such as 12h"
        raise click.BadParameter(message, param_hint="--since")
    return max(moment, datetime.fromtimestamp(0, UTC))
