"""What `diff`, `review` and `what-if` have in common: versions, live facts, and writing a review."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from kafka_topology.topology import Severity, load

from .connecting import client_settings, connection_options

if TYPE_CHECKING:
    from kafka_topology.review.live import Live
    from kafka_topology.review.result import Review
    from kafka_topology.revisions import Revision
    from kafka_topology.topology import Loaded, Location, Topology

FINDINGS, USAGE, COULD_NOT_CHECK = 1, 2, 3

format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="Markdown is a comment for a pull request.",
)
output_option = click.option(
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write it to this file instead of stdout.",
)
link_base_option = click.option(
    "--link-base", metavar="URL", help="Where the files of the new version are shown, for links to lines."
)


def live_options(command: Callable[..., Any]) -> Callable[..., Any]:
    is_live = click.option(
        "--live", "is_live", is_flag=True, help="Ask the cluster for sizes, lag, readers and placement."
    )
    return is_live(connection_options(command))


@dataclass(frozen=True, slots=True)
class LiveQuestion:
    """How to reach the cluster, or that it is not asked."""

    is_live: bool
    bootstrap: str | None
    client_config: Path | None
    timeout: float

    def ask(self, topologies: Iterable[Topology]) -> Live | None:
        """None when it is not asked. Raises `Unreachable` when nobody answers."""
        if not self.is_live:
            return None
        from kafka_topology.cluster_facts import live_facts

        held = list(topologies)
        topics = {name for topology in held for name in topology.topics}
        groups = {name for topology in held for name in (*topology.consumer_groups, *topology.streams)}
        client = client_settings(self.bootstrap, self.client_config)
        return live_facts(client, sorted(topics), sorted(groups), self.timeout)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a version is read from: the disk, or a revision."""

    label: str
    path: str
    revision: Revision | None = None

    def load(self, environment: str | None) -> Loaded:
        if self.revision is not None:
            return self.revision.load(environment)
        return load(self.path, environment)


def source(given: str) -> Source:
    """A file, a folder, or `REV:path`. Ends the command when git cannot give it."""
    from kafka_topology.revisions import BadRevision, parse_revision

    try:
        revision = parse_revision(given)
    except BadRevision as error:
        stop(USAGE, str(error))
    return Source(given, revision.path if revision else given, revision)


def line_address(link_base: str | None) -> Callable[[Location], str | None]:
    """Links to lines, for files as they are called from the current folder."""
    if link_base is None:
        return lambda _: None
    import os.path

    from kafka_topology.revisions import prefix

    here = prefix()
    base = link_base.rstrip("/")

    def address(location: Location) -> str | None:
        file = Path(location.file)
        if file.is_absolute():
            return None
        inside = os.path.normpath(Path(here) / file)
        return None if inside.startswith("..") else f"{base}/{Path(inside).as_posix()}#L{location.line}"

    return address


def write_review(
    review: Review, output_format: str, output: Path | None, quote: Callable[[Location], str], **comment: Any
) -> None:
    if output_format == "text" and output is None:
        from kafka_topology.report.review_text import print_review

        from .loading import plain_console

        print_review(review, plain_console(), _without_secrets(review, quote))
        return
    text = rendered(review, output_format, quote, **comment)
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        stop(USAGE, f"{output}: {(error.strerror or str(error)).lower()}")
    click.echo(f"review: {output}", err=True)


def rendered(review: Review, output_format: str, quote: Callable[[Location], str], **comment: Any) -> str:
    if output_format == "json":
        from kafka_topology.report.review_json import render

        return render(review, Path.cwd())
    if output_format == "markdown":
        from kafka_topology.report.review_markdown import Comment

        return Comment(**comment).render(review)
    import io

    from rich.console import Console

    from kafka_topology.report.review_text import print_review

    stream = io.StringIO()
    print_review(review, Console(file=stream, width=120, no_color=True), _without_secrets(review, quote))
    return stream.getvalue()


def _without_secrets(review: Review, quote: Callable[[Location], str]) -> Callable[[Location], str]:
    """A line with a secret is not quoted: it would stand in the build's log."""
    from kafka_topology.review.masking import masked

    hidden = {
        (shared.finding.location.file, shared.finding.location.line)
        for shared in review.findings
        if shared.finding.id == "KT607"
    }
    return lambda at: "" if (at.file, at.line) in hidden else masked(quote(at))


def finish(review: Review, fail_on: str) -> NoReturn:
    if review.unreadable:
        raise SystemExit(USAGE)
    if review.fails(Severity(fail_on)):
        raise SystemExit(FINDINGS)
    raise SystemExit(COULD_NOT_CHECK if review.could_not_check else 0)


def stop(code: int, message: str) -> NoReturn:
    click.echo(f"kafka-topology: {message}", err=True)
    raise SystemExit(code)
