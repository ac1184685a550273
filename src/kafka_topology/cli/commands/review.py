"""`kafka-topology review`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kafka_topology.report.review.formats import Presented
from kafka_topology.topology import load
from kafka_topology.topology.model.words import counted

from ..arguments import deployed_argument, environments_option
from ..baselines import baseline_option, baseline_or_exit, warn_of_old_entries, without_accepted
from ..completion import complete_revisions
from ..connecting import stack_options
from ..exits import Command, Exit, finding_exits, stop
from ..reviewing import (
    LiveQuestion,
    finish,
    gate_options,
    line_address,
    link_base_option,
    live_options,
    live_question,
    page_url_option,
    refuse_for_markdown,
    review_formats_option,
    review_outputs,
    today,
    write_review,
)
from ..writing import files_of, output_option

if TYPE_CHECKING:
    from kafka_topology.review.gate import Gate
    from kafka_topology.review.live import Live
    from kafka_topology.review.preview import Preview
    from kafka_topology.review.result import Review
    from kafka_topology.review.run import Pair
    from kafka_topology.revisions import Revision
    from kafka_topology.topology import Location, Topology
    from kafka_topology.validators.facts.changes import SchemaHistory

EPILOG = """\b
Examples:
  kafka-topology review topology/ --base origin/main --env prod
  kafka-topology review topology/ --base origin/main \\
      --format markdown=comment.md,page=change.html,text
"""
EXITS = finding_exits("wrong usage, an unknown base, or the new version cannot be read as a topology", live=True)


@click.command(name="review", cls=Command, exits=EXITS, epilog=EPILOG)
@deployed_argument
@click.option(
    "--base",
    required=True,
    metavar="REV",
    shell_complete=complete_revisions,
    help="Git revision that the change will be merged into.",
)
@environments_option
@stack_options(lambda given: given["is_live"])
@review_formats_option
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
@click.option(
    "--mention",
    default="",
    metavar="PREFIX",
    help="Mention the owners who must approve in the comment, such as @acme/ for @acme/checkout. Default: no mentions.",
)
@page_url_option
@baseline_option
@live_options
@gate_options
def command(
    *,
    path: Path,
    base: str,
    environments: tuple[str, ...],
    formats: tuple[str, ...],
    output: Path | None,
    preview_file: Path | None,
    link_base: str | None,
    key: str,
    mention: str,
    baseline_file: Path | None,
    page_url: str | None,
    is_live: bool,
    bootstrap: str | None,
    client_config: Path | None,
    timeout: float,
    gate: Gate,
    shows_all: bool,
) -> None:
    """Review the topology at PATH in the work tree against the point where it branched off from --base.

    Does not touch the work tree or the index. A topology that is new, or new to an environment, is reviewed alone; one
    that was moved is compared with its old path. If the files of the base are no topology, the new version is reviewed
    alone, and the comparison counts as not checked.
    """
    from kafka_topology.revisions import BadRevision, fork_point

    outputs = review_outputs(formats, output)
    refuse_for_markdown(outputs)
    question = live_question(is_live=is_live, bootstrap=bootstrap, client_config=client_config, timeout=timeout)
    try:
        revision = fork_point(base, str(path))
    except BadRevision as error:
        stop(Exit.UNUSABLE, str(error))
    baseline = baseline_or_exit(baseline_file) if baseline_file is not None else None
    preview = _preview(preview_file)
    review, quote, files = _review(path, revision, tuple(dict.fromkeys(environments)) or (None,), question, preview)
    review = replace(review, gate=gate, shows_all=shows_all, today=today())
    if baseline is not None and baseline_file is not None:
        warn_of_old_entries(baseline_file, baseline, [each.environment for each in review.reviews])
        review = without_accepted(review, baseline)
    address = line_address(link_base)
    presented = Presented(
        review=review,
        folder=Path.cwd(),
        quote=quote,
        address=address,
        key=key,
        mention=mention,
        page=page_url or "",
    )
    write_review(presented, outputs, [*files, preview_file, client_config, baseline_file])
    finish(review)


def _preview(file: Path | None) -> Preview | None:
    """A preview that cannot be read says nothing about drift; the review of the files does not depend on it."""
    from kafka_topology.provider.resources.descriptor import installed_kinds
    from kafka_topology.review.preview import BadPreview, Preview, read_preview

    if file is None:
        return None
    try:
        kinds = {kind.token: kind.reviewed for kind in installed_kinds().values()}
        return read_preview(file.read_text(encoding="utf-8"), kinds)
    except (OSError, UnicodeDecodeError, BadPreview) as error:
        return Preview((), unread=f"drift, because the preview {file} cannot be read: {error}")


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
    from kafka_topology.revisions import tracked_path

    subject, notes, unread = str(path), dict[str, None](), dict[str, None]()
    pairs: list[Pair] = []
    compared = None
    quote: Callable[[Location], str] = lambda _: ""  # noqa: E731
    files: list[Path] = []
    path = Path(tracked_path(subject))  # code hosts know no file by the name of a link
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
                unread=(f"{subject} cannot be read as a topology, so nothing was compared",),
                unreadable=loaded.problems,
            )
            return broken, quote, files
        earlier = _earlier(revision, environment)
        notes |= dict.fromkeys(earlier.notes)
        unread |= dict.fromkeys(earlier.unread)
        compared = revision.label if earlier.topology is not None else compared
        pairs.append(Pair(environment, earlier.topology, loaded.topology, earlier.history))
    live, problems = _live(question, pairs)
    reviews = tuple(review_pair(pair, live) for pair in pairs)
    could_not_check = [*unread, *problems, *(live.problems if live is not None else ())]
    if preview is not None:
        could_not_check += [f"the Pulumi preview failed: {error}" for error in preview.errors]
        could_not_check += [preview.unread] if preview.unread else []
    changes = [change for each in reviews for change in each.changes]
    versions = [topology for pair in pairs for topology in (pair.after, pair.before) if topology is not None]
    review = Review(
        subject=subject,
        base=compared,
        head=subject,
        reviews=reviews,
        notes=tuple(notes),
        unread=tuple(could_not_check),
        is_compared=not unread,
        drift=drift(changes, preview) if preview is not None and not preview.unread else (),
        has_preview=preview is not None and not preview.unread,
        declared=tuple(dict.fromkeys(name for each in versions for name in each.environments)),
    )
    return review, quote, files


@dataclass(frozen=True, slots=True)
class _Earlier:
    """The earlier version, or why there is none: nothing to compare with, or something that could not be read."""

    topology: Topology | None = None
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    history: SchemaHistory = lambda _: None


def _earlier(revision: Revision, environment: str | None) -> _Earlier:
    from kafka_topology.revisions import BadRevision, NotThere, linked_from, moved_from

    try:
        try:
            return _read(revision, environment)
        except NotThere as missing:
            linked = linked_from(revision)
            with suppress(NotThere):
                if linked is not None:
                    note = f"{missing}: it is a link to {linked.path} now, which is compared."
                    found = _read(linked, environment)
                    return replace(found, notes=(note, *found.notes))
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
        return _Earlier(loaded.topology, history=revision.schema_history)
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
