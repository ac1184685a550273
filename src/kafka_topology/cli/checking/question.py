"""What the commands on Spark have in common: the client's settings, where Spark runs, and how it ends."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...extras import require
from ...topology.model.words import visible
from ..exits import Exit, stop
from .spark_folder import spark_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ...spark_checks.reading.reader import KafkaReader
    from ...spark_checks.reading.selection import Selection
    from ...spark_checks.results.report import Report
    from ...spark_checks.run import Options
    from ...topology.model.declared import Topic, Topology


def spark_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option(
            "--spark-config",
            metavar="NAME=VALUE",
            multiple=True,
            help="A setting for Spark; repeatable. Not for secrets: others on the machine may see it.",
        ),
        click.option("--remote", metavar="sc://HOST:PORT", help="Run over Spark Connect on this server."),
        click.option("--master", metavar="URL", help="Run on this Spark cluster instead of this machine."),
    ):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Question:
    """Which topics of which cluster are asked about, and where Spark runs."""

    topology: Topology
    client: Mapping[str, str]
    names: tuple[str, ...]
    selection: Selection
    timeout: float
    master: str | None = None
    remote: str | None = None
    spark_config: tuple[str, ...] = ()

    def ask(
        self,
        *,
        show_keys: bool,
        require_records: bool = False,
        any_expression: bool = False,
        rows_to: tuple[str, str] | None = None,
    ) -> Report:
        """The report; of what was done until then if it is interrupted. Ends the command when nothing can be done.

        `rows_to` is the path and the format to write the violations to.
        """
        settings = self.spark_settings()
        reader, wanted = self.pinned()  # before the import: it names the missing extra
        from ...spark_checks.run import Options

        try:
            options = Options(
                show_keys=show_keys,
                selection=self.selection,
                require_records=require_records,
                any_expression=any_expression,
                tell=_tell,
            )
            return self._check(reader, wanted, settings, options, rows_to)
        except KeyboardInterrupt:
            stop(Exit.COULD_NOT_CHECK, "interrupted: the records were not checked")

    def _check(
        self,
        reader: KafkaReader,
        wanted: tuple[Topic, ...],
        settings: Mapping[str, str],
        options: Options,
        rows_to: tuple[str, str] | None,
    ) -> Report:
        from ...spark_checks.reading.ranges import Unreadable
        from ...spark_checks.results.report import Report
        from ...spark_checks.run import Interrupted, check, unreadable
        from .progress import shown_progress
        from .rows import RowsWriter

        names = [topic.name for topic in wanted]
        missing = [part for part in reader.pin(names).values() if isinstance(part, Unreadable)]
        if len(missing) == len(wanted):
            topics = self.topology.topics
            return Report(tuple(unreadable(topics[part.topic], part.reason) for part in missing))
        with self.spark(settings) as running:
            writes = None if rows_to is None else RowsWriter(running.session, *rows_to, remote=self.remote is not None)
            try:
                with shown_progress() as listener:
                    watched = replace(options, progress=listener)
                    report = check(running.session, self.topology, reader=reader, topics=names, options=watched)
            except Interrupted as interrupted:
                report = interrupted.report
            else:
                running.keep_log = any(topic.empty is None for topic in report.unreadable)
            return report if writes is None else writes(report)

    @contextmanager
    def spark(self, settings: Mapping[str, str]) -> Iterator[_Running]:
        """A session that reads Kafka and is stopped at the end; its log stays if it can explain something."""
        from ...local.processes.interrupts import interrupt_on_termination
        from ...spark_checks.reading.outages import stop_soon
        from ...spark_checks.reading.session import start
        from ...spark_checks.reading.spark_errors import SparkUnavailable, shown, spark_failures

        interrupt_on_termination()
        # The bridge to Java would log an interruption, with a traceback, to whoever set up no logging.
        logging.getLogger().addHandler(logging.NullHandler())
        with spark_folder() as folder:
            click.echo(f"Connecting to {shown(self.remote)} …" if self.remote else "Starting Spark …", err=True)
            try:
                session = start(
                    cached=_cached_jars(),
                    master=self.master,
                    remote=self.remote,
                    settings=settings,
                    log_file=folder.log_file,
                )
            except SparkUnavailable as error:
                folder.keep_log = str(folder.log_file) in str(error)
                stop(Exit.COULD_NOT_CHECK, str(error))
            running = _Running(session)
            try:
                yield running
            finally:
                if self.remote is not None:
                    stop_soon(session)
                else:
                    with suppress(*spark_failures()):  # it may be gone already
                        session.stop()
                folder.keep_log = running.keep_log
                if folder.keep_log and folder.has_log:
                    click.echo(f"Spark's log is {folder.log_file}", err=True)

    def pinned(self) -> tuple[KafkaReader, tuple[Topic, ...]]:
        """Before Spark, which takes seconds to start: an unreachable cluster is known at once."""
        require("spark-connect" if self.remote else "spark", "a check of records")
        from ...cluster.outcomes import ClusterUnreachableError
        from ...spark_checks.planning.limits import known_limits
        from ...spark_checks.reading.reader import KafkaReader
        from ...spark_checks.registry import BrokenPack, installed_checks
        from ...spark_checks.run import declared_topics

        try:
            checks = installed_checks()
            wanted = declared_topics(self.topology, self.names or None)
            known_limits(wanted, checks)
            reader = KafkaReader(self.client, self.timeout, self.selection)
            reader.pin([topic.name for topic in wanted])
        except ValueError as error:
            stop(Exit.UNUSABLE, str(error))
        except (BrokenPack, ClusterUnreachableError) as error:
            stop(Exit.COULD_NOT_CHECK, str(error))
        return reader, wanted

    def spark_settings(self) -> Mapping[str, str]:
        if self.master is not None and self.remote is not None:
            raise click.UsageError("give --master or --remote, not both")
        if self.remote is not None and not self.remote.startswith("sc://"):
            raise click.BadParameter(f"`{self.remote}` is not of the form sc://HOST:PORT", param_hint="--remote")
        settings: dict[str, str] = {}
        for given in self.spark_config:
            name, equals, value = given.partition("=")
            if not equals or not name:
                raise click.BadParameter("write NAME=VALUE", param_hint="--spark-config")
            if settings.setdefault(name, value) != value:
                raise click.BadParameter(f"{name} has two values; keep one", param_hint="--spark-config")
        return settings


@dataclass(slots=True)
class _Running:
    session: SparkSession
    keep_log: bool = False


def _tell(words: str) -> None:
    click.echo(visible(words), err=True)


def _cached_jars() -> list[Path] | None:
    import pyspark

    from ...toolchain import spark_jars

    return spark_jars(pyspark.__version__)
