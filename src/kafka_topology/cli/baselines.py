"""What `validate` and `review` share about baselines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kafka_topology.baseline import BadBaseline, Baseline, read_baseline
from kafka_topology.topology.model.words import agreeing, counted

if TYPE_CHECKING:
    from kafka_topology.review.result import Review

baseline_option = click.option(
    "--baseline",
    "baseline_file",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Do not count findings listed in this file.",
)


def baseline_or_exit(file: Path) -> Baseline:
    """Ends the command with wrong usage if the file is no baseline."""
    try:
        return read_baseline(file)
    except BadBaseline as error:
        raise click.UsageError(str(error)) from error


def warn_of_old_entries(file: Path, baseline: Baseline, environments: Iterable[str | None]) -> None:
    """Says that entries of an earlier version do not count in these environments."""
    named = [environment for environment in environments if environment is not None]
    held = baseline.without_environment
    if not held or not named:
        return
    click.echo(
        f"{file}: {counted(held, 'entry', 'entries')} without an environment {agreeing(held, 'counts', 'count')} only"
        f" without --env, not in {', '.join(named)}; accept findings there with"
        f" `validate --env {named[0]} --baseline {file} --update-baseline`",
        err=True,
    )


def without_accepted(review: Review, baseline: Baseline) -> Review:
    """The review with the findings of the baseline among the known ones, which do not fail."""
    reviews = []
    for each in review.reviews:
        compared = baseline.compare(each.findings, frozenset(), each.environment)
        reviews.append(replace(each, findings=compared.new, known=(*each.known, *compared.known)))
    return replace(review, reviews=tuple(reviews))
