"""`kafka-topology diff`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .reporting import fail_on_option
from .reviewing import (
    USAGE,
    Source,
    finish,
    format_option,
    line_address,
    link_base_option,
    output_option,
    source,
    stop,
    write_review,
)

if TYPE_CHECKING:
    from kafka_topology.topology import Loaded

EPILOG = """\b
Examples:
  kafka-topology diff topology-old/ topology/
  kafka-topology diff main:topology HEAD:topology --env prod --format json
"""


@click.command(name="diff", epilog=EPILOG)
@click.argument("base")
@click.argument("head")
@click.option("--env", "environment", metavar="NAME", help="Lay this environment over both versions.")
@format_option
@output_option
@link_base_option
@fail_on_option
def command(
    *,
    base: str,
    head: str,
    environment: str | None,
    output_format: str,
    output: Path | None,
    link_base: str | None,
    fail_on: str,
) -> None:
    """Show what changes from BASE to HEAD, by risk. Each is a file, a folder, or REV:path of this git repository.

    \b
    Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 a version cannot be read.
    """
    from kafka_topology.report.run import quoting
    from kafka_topology.review.result import Review
    from kafka_topology.review.run import Pair, review_pair

    sources = source(base), source(head)
    before, after = (_loaded(each, environment) for each in sources)
    assert after.topology is not None  # noqa: S101 - it would have ended
    review = Review(
        subject=sources[1].path,
        base=sources[0].label,
        head=sources[1].label,
        reviews=(review_pair(Pair(environment, before.topology, after.topology)),),
    )
    write_review(review, output_format, output, quoting(after), address=line_address(link_base))
    finish(review, fail_on)


def _loaded(version: Source, environment: str | None) -> Loaded:
    from kafka_topology.report.text import findings_text
    from kafka_topology.revisions import BadRevision

    from .loading import plain_console

    try:
        loaded = version.load(environment)
    except BadRevision as error:
        stop(USAGE, str(error))
    if loaded.topology is None:
        plain_console(stderr=True).print(findings_text(loaded.problems, loaded.line))
        stop(USAGE, f"{version.label} cannot be read as a topology")
    return loaded
