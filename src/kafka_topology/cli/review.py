"""`kafka-topology review`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kafka_topology.topology import load

from .reporting import fail_on_option
from .reviewing import (
    USAGE,
    LiveQuestion,
    finish,
    format_option,
    line_address,
    link_base_option,
    live_options,
    output_option,
    stop,
    write_review,
)

if TYPE_CHECKING:
    from kafka_topology.review.live import Live
    from kafka_topology.review.preview import Preview
    from kafka_topology.review.result import Review
    from kafka_topology.review.run import Pair
    from kafka_topology.revisions import Revision
    from kafka_topology.topology import Location, Topology

EPILOG = """\b
Examples:
  kafka-topology review topology/ --base origin/main --env prod
  kafka-topology review topology/ --base origin/main --format markdown --output comment.md
"""


@click.command(name="review", epilog=EPILOG)
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--base", required=True, metavar="REV", help="The git revision that the change is to be merged into.")
@click.option("--env", "environments", metavar="NAME", multiple=True, help="Review this environment; repeatable.")
@format_option
@output_option
@click.option(
    "--preview",
    "preview_file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="What `pulumi preview --json` wrote: marks what Pulumi would change and the files do not.",
)
@link_base_option
@click.option("--key", default="", metavar="TEXT", help="Tells several comments on one pull request apart.")
@live_options
@fail_on_option
def command(
    *,
    path: Path,
    base: str,
    environments: tuple[str, ...],
    output_format: str,
    output: Path | None,
    preview_file: Path | None,
    link_base: str | None,
    key: str,
    is_live: bool,
    bootstrap: str | None,
    client_config: Path | None,
    timeout: float,
    fail_on: str,
) -> None:
    """Review the topology at PATH, as it is in the work tree, against where it left the revision --base.

    The work tree and the index are not touched. A base that cannot be read is said, and the new version reviewed alone.

    \b
    Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 the new version cannot be read, 3 could not check.
    """
    from kafka_topology.revisions import BadRevision, fork_point

    try:
        revision = fork_point(base, str(path))
    except BadRevision as error:
        stop(USAGE, str(error))
    preview = _preview(preview_file)
    question = LiveQuestion(is_live, bootstrap, client_config, timeout)
    review, quote = _review(path, revision, environments or (None,), question, preview)
    write_review(review, output_format, output, quote, address=line_address(link_base), key=key)
    finish(review, fail_on)


def _preview(file: Path | None) -> Preview | None:
    from kafka_topology.review.preview import BadPreview, read_preview

    if file is None:
        return None
    try:
        return read_preview(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, BadPreview) as error:
        stop(USAGE, f"the preview {file}: {error}")


def _review(
    path: Path,
    revision: Revision,
    environments: tuple[str | None, ...],
    question: LiveQuestion,
    preview: Preview | None,
) -> tuple[Review, Callable[[Location], str]]:
    from kafka_topology.report.run import quoting
    from kafka_topology.review.preview import drift
    from kafka_topology.review.result import Review
    from kafka_topology.review.run import Pair, review_pair

    subject, notes = str(path), dict[str, None]()
    pairs: list[Pair] = []
    is_compared = False
    quote: Callable[[Location], str] = lambda _: ""  # noqa: E731
    for environment in environments:
        loaded = load(path, environment)
        quote = quoting(loaded)
        if loaded.topology is None:
            # Every environment is loaded from the same files, so one broken version is told once.
            broken = Review(subject=subject, base=revision.label, head=subject, reviews=(), unreadable=loaded.problems)
            return broken, quote
        before, note = _earlier(revision, environment)
        if note is not None:
            notes[note] = None
        is_compared = is_compared or before is not None
        pairs.append(Pair(environment, before, loaded.topology))
    live, problems = _live(question, pairs)
    reviews = tuple(review_pair(pair, live) for pair in pairs)
    could_not_check = [*problems, *(live.problems if live is not None else ())]
    if preview is not None:
        could_not_check += [f"the Pulumi preview failed: {error}" for error in preview.errors]
    changes = [change for each in reviews for change in each.changes]
    review = Review(
        subject=subject,
        base=revision.label if is_compared else None,
        head=subject,
        reviews=reviews,
        notes=tuple(notes),
        could_not_check=tuple(could_not_check),
        drift=drift(changes, preview) if preview is not None else (),
        has_preview=preview is not None,
    )
    return review, quote


def _earlier(revision: Revision, environment: str | None) -> tuple[Topology | None, str | None]:
    """The earlier version, or why there is none to compare with."""
    from kafka_topology.revisions import BadRevision, NotThere

    try:
        loaded = revision.load(environment)
    except NotThere as missing:
        return None, f"{missing}: the topology is new, so there is no earlier version to compare it with."
    except BadRevision as error:
        stop(USAGE, str(error))
    if loaded.topology is not None:
        return loaded.topology, None
    first = loaded.problems[0] if loaded.problems else None
    why = f": {first.location}: {first.message}" if first is not None else ""
    more = f" (and {len(loaded.problems) - 1} more)" if len(loaded.problems) > 1 else ""
    what = f" with the environment {environment}" if environment else ""
    return None, (
        f"{revision.label} cannot be read as a topology{what}, so the new version is reviewed alone{why}{more}"
    )


def _live(question: LiveQuestion, pairs: list[Pair]) -> tuple[Live | None, list[str]]:
    if not question.is_live:
        return None, []
    from kafka_topology.cluster_facts import Unreachable

    held = [topology for pair in pairs for topology in (pair.before, pair.after) if topology is not None]
    try:
        return question.ask(held), []
    except Unreachable as error:
        return None, [str(error)]
