"""`kafka-topology check`: fills arguments, asks Kafka and Spark, prints the report."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from .connecting import client_settings, connection_options
from .loading import topology_or_exit

if TYPE_CHECKING:
    from ..spark_checks.progress import Listener
    from ..spark_checks.reader import KafkaReader
    from ..spark_checks.report import Report
    from ..topology.model import Topic, Topology

FINE, VIOLATIONS, USAGE, COULD_NOT_CHECK = 0, 1, 2, 3
WIDTH = 80


@click.command(short_help="Compare the live records with the declared keys, on Spark.")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--env", "environment", metavar="NAME", help="Environment to lay over the topology.")
@click.option("--topic", "topics", metavar="NAME", multiple=True, help="Check only this topic; repeatable.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--output", metavar="FILE", type=click.Path(path_type=Path), help="Write the report there as well.")
@click.option("--show-keys", is_flag=True, help="Show keys in clear; they may be personal data.")
@connection_options
def command(
    *,
    path: Path,
    bootstrap: str | None,
    environment: str | None,
    topics: tuple[str, ...],
    client_config: Path | None,
    format_: str,
    output: Path | None,
    show_keys: bool,
    timeout: float,
) -> None:
    """Compare the live records with the declared keys, on Spark.

    Reads each topic once, up to the offsets at the start, and tells which records break the declaration.
    With --output the report goes to the file and the summary to the terminal.

    \b
    Example:
      kafka-topology check topology.yaml --bootstrap localhost:9092
    """
    topology = topology_or_exit(path, environment)
    client = client_settings(bootstrap, client_config)
    try:
        report = _check(topology, client, topics, show_keys=show_keys, timeout=timeout)
    except KeyboardInterrupt:
        _stop(COULD_NOT_CHECK, "interrupted: the records were not checked")
    _write(report, format_, output)
    if report.violations:
        raise SystemExit(VIOLATIONS)
    raise SystemExit(COULD_NOT_CHECK if report.unreadable else FINE)


def _check(
    topology: Topology, client: Mapping[str, str], names: tuple[str, ...], *, show_keys: bool, timeout: float
) -> Report:
    if find_spec("pyspark") is None:
        _stop(COULD_NOT_CHECK, "checks run on Spark, which is not installed: pip install 'kafka-topology[spark]'")
    from ..spark_checks.client_config import UntranslatableSetting
    from ..spark_checks.offsets import Unreachable, Unreadable
    from ..spark_checks.reader import KafkaReader
    from ..spark_checks.report import Report
    from ..spark_checks.run import declared_topics, unreadable

    try:
        wanted = declared_topics(topology, names or None)
        reader = KafkaReader(client, timeout)
        # Before Spark, which takes seconds to start: an unreachable cluster is known at once.
        pinned = reader.pin([topic.name for topic in wanted])
    except (UntranslatableSetting, ValueError) as error:
        _stop(USAGE, str(error))
    except Unreachable as error:
        _stop(COULD_NOT_CHECK, str(error))
    missing = [part for part in pinned.values() if isinstance(part, Unreadable)]
    if len(missing) == len(wanted):
        return Report(tuple(unreadable(topology.topics[part.topic], part.reason) for part in missing))
    return _on_spark(topology, reader, wanted, show_keys=show_keys)


def _on_spark(topology: Topology, reader: KafkaReader, wanted: tuple[Topic, ...], *, show_keys: bool) -> Report:
    from ..spark_checks.run import Options, check
    from ..spark_checks.session import SparkUnavailable, start

    folder = Path(tempfile.mkdtemp(prefix="kafka-topology-spark-"))
    log_file = folder / "spark.log"
    click.echo("Starting Spark …", err=True)
    try:
        spark = start(cached=_cached_jars(), log_file=log_file)
    except SparkUnavailable as error:
        _stop(COULD_NOT_CHECK, str(error))
    try:
        with _progress() as listener:
            options = Options(show_keys=show_keys, progress=listener)
            report = check(spark, topology, reader=reader, topics=[topic.name for topic in wanted], options=options)
    finally:
        spark.stop()
    if report.unreadable:
        click.echo(f"Spark's log is {log_file}", err=True)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return report


def _cached_jars() -> list[Path] | None:
    import pyspark

    from ..toolchain import spark_jars

    return spark_jars(pyspark.__version__)


@contextmanager
def _progress() -> Iterator[Listener]:
    """A bar with records and rate on a terminal, a line per topic elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    from ..spark_checks import progress as scan

    tasks: dict[str, TaskID] = {}
    console = Console(stderr=True)
    rate = TextColumn("{task.fields[rate]}")
    shown = Progress(
        TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), rate, TimeRemainingColumn(),
        console=console, disable=not console.is_terminal, transient=True,
    )  # fmt: skip

    def tell(now: scan.Progress) -> None:
        if now.topic not in tasks:
            tasks[now.topic] = shown.add_task(now.topic, total=now.offsets, rate="")
            if not console.is_terminal:
                click.echo(f"Reading {now.topic}: up to {now.offsets:,} records …", err=True)
        task = tasks[now.topic]
        speed = next((each.speed for each in shown.tasks if each.id == task), None)
        shown.update(task, completed=now.records, rate=f"{speed:,.0f}/s" if speed else "")

    with shown:
        yield tell


def _write(report: Report, format_: str, output: Path | None) -> None:
    from rich.console import Console

    from .check_text import render

    as_json = json.dumps(report.to_json(), indent=2) + "\n"
    if output is not None:
        try:
            with output.open("w") as file:
                if format_ == "json":
                    file.write(as_json)
                else:
                    Console(file=file, width=WIDTH).print(render(report))
        except OSError as error:
            _stop(USAGE, f"the report cannot be written to {output}: {error.strerror}")
        click.echo(f"Report: {output}", err=True)
    if format_ == "json" and output is None:
        click.echo(as_json, nl=False)
    else:
        Console(width=WIDTH, highlight=False).print(render(report))


def _stop(code: int, message: str) -> NoReturn:
    click.echo(f"kafka-topology check: {message}", err=True)
    raise SystemExit(code)
