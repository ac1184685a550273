"""`kafka-topology review`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kafka_topology.report.review.formats import Presented
from kafka_topology.topology import load
from kafka_topology.topology.model.words import counted

from ..arguments import environments_option, fail_on_option
from ..exits import Command, Exit, finding_exits, stop
from ..reviewing import (
    LiveQuestion,
    finish,
    line_address,
    link_base_option,
    live_options,
    live_question,
    refuse_for_markdown,
    review_format_option,
    write_review,
)
from ..writing import files_of, output_option

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
  kafka-topology review topology/ --base origin/main --format markdown \\
      --output comment.md
"""
EXITS = finding_exits("wrong usage, an unknown base, or the new version cannot be read as a topology", live=True)
_DEEPEN = "what was changed there since counts, too. If this clone is shallow, fetch the whole history."


@click.command(name="review", cls=Command, exits=EXITS, epilog=EPILOG)
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--base", required=True, metavar="REV", help="Git revision that the change will be merged into.")
@environments_option
@review_format_option
@output_option()
@click.option(
    "--preview",
    "preview_file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Output of `pulumi preview --json`: reports what Pulumi would change although the files do not.",
)
@link_base_option
@click.option("--key", default="", metavar="TEXT", help="Separates several review comments on one pull request.")
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
    """Review the topology at PATH in the work tree against the point where it branched off from --base.

    Does not touch the work tree or the index. A topology that is new, or new to an environment, is reviewed alone; one
    that was moved is compared with its old path. If the files of the base are no topology, the new version is reviewed
    alone, and the comparison counts as not checked.
    """
    from kafka_topology.revisions import BadRevision, fork_point

    refuse_for_markdown(output_format)
    question = live_question(is_live=is_live, bootstrap=bootstrap, client_config=client_config, timeout=timeout)
    try:
        revision = fork_point(base, str(path))
    except BadRevision as error:
        stop(Exit.UNUSABLE, str(error))
    preview = _preview(preview_file)
    review, quote, files = _review(path, revision, tuple(dict.fromkeys(environments)) or (None,), question, preview)
    address = line_address(link_base)
    presented = Presented(review=review, folder=Path.cwd(), quote=quote, address=address, key=key)
    write_review(presented, output_format, output, [*files, preview_file, client_config])
    finish(review, fail_on)


def _preview(file: Path | None) -> Preview | None:
    from kafka_topology.provider.resources.descriptor import installed_kinds
    from kafka_topology.review.preview import BadPreview, read_preview

    if file is None:
        return None
    try:
        kinds = {kind.token: kind.reviewed for kind in installed_kinds().values()}
        return read_preview(file.read_text(encoding="utf-8"), kinds)
    except (OSError, UnicodeDecodeError, BadPreview) as error:
        stop(Exit.UNUSABLE, f"cannot read the preview {file}: {error}")


def _review(
    path: Path,
    revision: Revision,
    environments: tuple[str | None, ...],
    question: LiveQuestion,
    preview: Preview | None,
) -> tuple[Review, Callable[[Location], str], list[Path]]:
    """The review, how to quote lines of the new version, and the files that it was read from."""
    from kafka_topology.report.run import quoting
    from kafka_topology.review.preview import drift
    from kafka_topology.review.result import Review
    from kafka_topology.review.run import Pair, review_pair

    subject, notes, unread = str(path), dict[str, None](), dict[str, None]()
    if revision.is_unrelated:
        notes[
            f"git finds no common commit of HEAD and {revision.name}, so its latest version is compared: {_DEEPEN}"
        ] = None
    pairs: list[Pair] = []
    compared = None
    quote: Callable[[Location], str] = lambda _: ""  # noqa: E731
    files: list[Path] = []
    for environment in environments:
        loaded = load(path, environment)
        quote = quoting(loaded)
        files += files_of(path, loaded)
        if loaded.topology is None:
            # All environments come from the same files, so a broken version is reported once.
            broken = Review(
                subject=subject,
                base=revision.label,
                head=subject,
                reviews=(),
                could_not_check=(f"{subject} cannot be read as a topology, so nothing was compared",),
                unreadable=loaded.problems,
            )
            return broken, quote, files
        earlier = _earlier(revision, environment)
        notes |= dict.fromkeys(earlier.notes)
        unread |= dict.fromkeys(earlier.unread)
        compared = revision.label if earlier.topology is not None else compared
        pairs.append(Pair(environment, earlier.topology, loaded.topology))
    live, problems = _live(question, pairs)
    reviews = tuple(review_pair(pair, live) for pair in pairs)
    could_not_check = [*unread, *problems, *(live.problems if live is not None else ())]
    if preview is not None:
        could_not_check += [f"the Pulumi preview failed: {error}" for error in preview.errors]
    changes = [change for each in reviews for change in each.changes]
    review = Review(
        subject=subject,
        base=compared,
        head=subject,
        reviews=reviews,
        notes=tuple(notes),
        could_not_check=tuple(could_not_check),
        is_compared=not unread,
        drift=drift(changes, preview) if preview is not None else (),
        has_preview=preview is not None,
    )
    return review, quote, files


@dataclass(frozen=True, slots=True)
class _Earlier:
    """The earlier version, or why there is none: nothing to compare with, or something that could not be read."""

    topology: Topology | None = None
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


def _earlier(revision: Revision, environment: str | None) -> _Earlier:
    from kafka_topology.revisions import BadRevision, NotThere, moved_from

    try:
        try:
            return _read(revision, environment)
        except NotThere as missing:
            moved = moved_from(revision)
            if moved is None:
                return _Earlier(notes=(f"{missing}: it is new, so there is no earlier version to compare with.",))
            note = f"{missing}: it was moved from {moved.path}, which is compared."
            found = _read(moved, environment)
            return replace(found, notes=(note, *found.notes))
    except BadRevision as error:
        stop(Exit.UNUSABLE, str(error))


def _read(revision: Revision, environment: str | None) -> _Earlier:
    loaded = revision.load(environment)
    if loaded.topology is not None:
        return _Earlier(loaded.topology)
    if environment is not None:
        without = revision.load(environment, environment_optional=True).topology
        if without is not None and environment not in without.environments:
            missing = f"{revision.label} has no environment {environment}"
            return _Earlier(notes=(f"{missing}: it is new, so there is no earlier version to compare with.",))
    first = loaded.problems[0] if loaded.problems else None
    why = f": {first.location}: {first.message}" if first is not None else ""
    more = f" (and {counted(len(loaded.problems) - 1, 'more finding')})" if len(loaded.problems) > 1 else ""
    what = f" with the environment {environment}" if environment else ""
    reason = f"{revision.label} cannot be read as a topology{what}, so the new version is reviewed alone{why}{more}"
    return _Earlier(unread=(reason,))


def _live(question: LiveQuestion, pairs: list[Pair]) -> tuple[Live | None, list[str]]:
    if not question.is_live:
        return None, []
    from kafka_topology.cluster.outcomes import ClusterUnreachableError

    held = [topology for pair in pairs for topology in (pair.before, pair.after) if topology is not None]
    try:
        return question.ask(held), []
    except ClusterUnreachableError as error:
        return None, [str(error)]
