"""`--violations`: refuses a place that cannot be used before anything is read, and writes the rows afterwards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..exits import Exit, stop

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ...spark_checks.results.report import Report

FORMAT = "parquet"


def rows_option(path: str | None, format_: str | None) -> tuple[str, str] | None:
    """The path and the format, or None; refuses at once what needs no Spark to be seen."""
    if path is None:
        if format_ is not None:
            raise click.UsageError("--violations-format needs --violations")
        return None
    if not path:
        raise click.BadParameter("give a folder", param_hint="--violations")
    if Path(path).is_file():
        raise click.BadParameter(
            f"{path} is a file: give a new folder, or that of an earlier check", param_hint="--violations"
        )
    return path, format_ or FORMAT


class RowsWriter:
    """Made before the check: ends the command where the rows could not be written."""

    def __init__(self, session: SparkSession, path: str, format_: str, *, remote: bool) -> None:
        from ...spark_checks.rows.writing import Destination, UnusableDestination

        self._session = session
        # Spark runs in a folder of its own. An address of its file systems, or a table, is left as it is.
        here = ":" not in path and format_ != "iceberg" and not remote
        self._to = Destination(str(Path(path).absolute()) if here else path, format_)
        try:
            self._to.refuse_if_unusable(session)
        except UnusableDestination as error:
            stop(Exit.UNUSABLE, f"--violations: {error}")

    def __call__(self, report: Report) -> Report:
        from ...spark_checks.rows.writing import write

        if report.complete and report.violation_count:
            click.echo(f"Writing {report.violation_count:,} violations to {self._to.path} …", err=True)
        return replace(report, written=write(self._session, report, self._to))
