"""What `diff`, `review` and `what-if` share: versions, live facts, and writing a review."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from kafka_topology.report.findings.formats import BadFormat, Output, parse_outputs
from kafka_topology.report.review.formats import Presented, review_formats
from kafka_topology.review.gate import RISKS, Gate, gate_of
from kafka_topology.topology import Severity, load
from kafka_topology.topology.model.words import did_you_mean, named

from .arguments import refuse_without_effect
from .connecting import CONNECTION, client_settings, connection_options
from .exits import Exit, exit_code, stop
from .writing import deliver, keep_inputs

if TYPE_CHECKING:
    from kafka_topology.review.live import Live
    from kafka_topology.review.result import Review
    from kafka_topology.revisions import Revision
    from kafka_topology.topology import Loaded, Location, Topology

_FAIL_ON = (*(severity.value for severity in Severity), *RISKS)


def gate_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--fail-on`, with severities and risks, and `--all`."""
    fail_on = click.option(
        "--fail-on",
        "gate",
        metavar="WHAT,…",
        multiple=True,
        callback=_gate,
        help="What makes the exit code 1: the lowest severity of new findings (error, warning, advice; errors always"
        " do), the lowest risk of changes (destructive, breaking, needs-care), or both. Default: error.",
    )
    shows_all = click.option("--all", "shows_all", is_flag=True, help="Also show findings that the base has.")
    return fail_on(shows_all(command))


def _gate(_context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]) -> Gate:
    words = [word.strip() for text in given for word in text.split(",")]
    for word in words:
        if word not in _FAIL_ON:
            hint = did_you_mean(word, _FAIL_ON) or f"choose from {', '.join(_FAIL_ON)}"
            raise click.BadParameter(f"`{word}` is neither a severity nor a risk; {hint}")
    return gate_of(words)


def review_formats_option(command: Callable[..., Any]) -> Callable[..., Any]:
    names = ", ".join(review_formats().by_name)
    return click.option(
        "--format",
        "formats",
        metavar="NAME[=FILE],…",
        multiple=True,
        default=("text",),
        help=f"Output format, to stdout or to a file: {names}. Separate several with commas. markdown is a comment for"
        " a pull request; page is one HTML file with the graph before and after;"
        " github, gitlab, sarif and junit put what is new on the changed lines. Default: text.",
    )(command)


def review_outputs(formats: tuple[str, ...], output: Path | None) -> tuple[Output, ...]:
    """Where each format goes. `--output` is the file of the only one without its own."""
    try:
        outputs = parse_outputs(formats, review_formats().by_name)
    except BadFormat as error:
        raise click.BadParameter(str(error), param_hint="--format") from error
    if output is None:
        return outputs
    if all(each.file is not None for each in outputs):
        raise click.UsageError("--output names a file, but every format of --format has its own; leave one of them out")
    try:
        named = [f"{each.name}={each.file or output}" for each in outputs]
        return parse_outputs(tuple(named), review_formats().by_name)
    except BadFormat as error:
        raise click.BadParameter(str(error), param_hint="--output") from error


def today() -> date:
    """The day on which acceptances count."""
    return datetime.now(UTC).date()


def _web_address(_context: click.Context, _parameter: click.Parameter, given: str | None) -> str | None:
    """Refuses what a browser would run or open on the reader's machine."""
    if given is not None and not given.lower().startswith(("https://", "http://")):
        raise click.BadParameter(f"`{given}` is no web address; expected one that starts with https:// or http://")
    return given


link_base_option = click.option(
    "--link-base",
    metavar="URL",
    callback=_web_address,
    help="Where the files are on the web, for links to lines, such as https://github.com/acme/kafka/blob/main.",
)


page_url_option = click.option(
    "--page-url",
    metavar="URL",
    callback=_web_address,
    help="Where the file of --format page=FILE will be on the web; the comment links to it.",
)

# Formats that others add may use the links and the key.
_WITHOUT_LINKS = ("text", "json", "codeowners", "github", "gitlab", "sarif", "junit")


def refuse_for_markdown(outputs: Iterable[Output]) -> None:
    """Ends the command when an option of the comment was passed for formats that do not use it."""
    names = [output.name for output in outputs]
    unused = f"{named(names)} does not use it"
    if all(name in _WITHOUT_LINKS for name in names):
        refuse_without_effect(("link_base",), f"needs --format markdown or page; {unused}")
    if all(name in (*_WITHOUT_LINKS, "page") for name in names):
        refuse_without_effect(("key", "mention", "page_url"), f"needs --format markdown; {unused}")


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
        shared = {name for topology in held for name in topology.share_groups}
        client = client_settings(self.bootstrap, self.client_config)
        return live_facts(client, sorted(topics), sorted(groups), self.timeout, sorted(shared))


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


def write_review(presented: Presented, outputs: Iterable[Output], inputs: Iterable[Path | None]) -> None:
    """Write the review in each format, unless that would overwrite one of the inputs."""
    held = list(inputs)
    given = click.get_current_context().params.get("output")
    for output in outputs:
        keep_inputs(output.file, held, "--output" if output.file == given else "--format")
    for output in outputs:
        option = "--output" if output.file == given else "--format"
        deliver(review_formats().by_name[output.name], presented, output.file, option)
        if output.file is not None:
            click.echo(f"review: {output.file}", err=True)


def finish(review: Review) -> NoReturn:
    if review.unreadable:
        raise SystemExit(Exit.UNUSABLE)
    raise SystemExit(exit_code(failing=review.fails, unchecked=bool(review.could_not_check)))
