"""What `diff`, `review` and `what-if` share: versions, live facts, and writing a review."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from kafka_topology.report.review.formats import Presented, review_formats
from kafka_topology.topology import Severity, load

from .arguments import format_option, refuse_without_effect
from .connecting import CONNECTION, client_settings, connection_options
from .exits import Exit, exit_code, stop
from .writing import deliver, keep_inputs

if TYPE_CHECKING:
    from kafka_topology.review.live import Live
    from kafka_topology.review.result import Review
    from kafka_topology.revisions import Revision
    from kafka_topology.topology import Loaded, Location, Topology

review_format_option = format_option(
    [*review_formats().by_name], "Output format. markdown is a comment for a pull request."
)
link_base_option = click.option(
    "--link-base", metavar="URL", help="Web address of the new version's files, for links to lines."
)


_WITHOUT_LINKS = ("text", "json")  # formats that others add may use the links and the key


def refuse_for_markdown(output_format: str) -> None:
    """Ends the command when an option of the comment was passed for a format that does not use it."""
    if output_format in _WITHOUT_LINKS:
        refuse_without_effect(("link_base", "key"), f"needs --format markdown; {output_format} does not use it")


def live_options(command: Callable[..., Any]) -> Callable[..., Any]:
    is_live = click.option(
        "--live", "is_live", is_flag=True, help="Ask the cluster for sizes, lag, readers and replica placement."
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
        """None when the cluster is not asked. Raises `ClusterUnreachableError` when no broker answers."""
        if not self.is_live:
            return None
        from kafka_topology.cluster_facts import live_facts

        held = list(topologies)
        topics = {name for topology in held for name in topology.topics}
        groups = {name for topology in held for name in (*topology.consumer_groups, *topology.streams)}
        client = client_settings(self.bootstrap, self.client_config)
        return live_facts(client, sorted(topics), sorted(groups), self.timeout)


def live_question(*, is_live: bool, bootstrap: str | None, client_config: Path | None, timeout: float) -> LiveQuestion:
    """Ends the command when it says how to reach a cluster but not to ask it."""
    if not is_live:
        refuse_without_effect(CONNECTION, "needs --live; without it, no cluster is asked")
    return LiveQuestion(is_live, bootstrap, client_config, timeout)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a version is read from: the disk, or a git revision."""

    label: str
    path: str
    revision: Revision | None = None

    def load(self, environment: str | None) -> Loaded:
        if self.revision is not None:
            return self.revision.load(environment)
        return load(self.path, environment)


def source(given: str) -> Source:
    """A file, a folder, or `REV:path`. Ends the command when git cannot provide it."""
    from kafka_topology.revisions import BadRevision, parse_revision

    try:
        revision = parse_revision(given)
    except BadRevision as error:
        stop(Exit.UNUSABLE, str(error))
    return Source(given, revision.path if revision else given, revision)


def line_address(link_base: str | None) -> Callable[[Location], str | None]:
    """Links to lines, for files named relative to the current folder."""
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


def write_review(presented: Presented, output_format: str, output: Path | None, inputs: Iterable[Path | None]) -> None:
    """Write the review, unless that would overwrite one of the inputs."""
    keep_inputs(output, inputs)
    deliver(review_formats().by_name[output_format], presented, output)
    if output is not None:
        click.echo(f"review: {output}", err=True)


def finish(review: Review, fail_on: str) -> NoReturn:
    if review.unreadable:
        raise SystemExit(Exit.UNUSABLE)
    raise SystemExit(exit_code(failing=review.fails(Severity(fail_on)), unchecked=bool(review.could_not_check)))
