"""Arguments that most commands take."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from kafka_topology.topology import Severity

from .completion import complete_environments

if TYPE_CHECKING:
    from kafka_topology.report.findings.formats import Output

topology_argument = click.argument("path", type=click.Path(path_type=Path))
# For commands with `stack_options`, where a stack's config may name the topology.
deployed_argument = click.argument("path", type=click.Path(path_type=Path), required=False)
environment_option = click.option(
    "--env", "environment", metavar="NAME", shell_complete=complete_environments, help="Apply this environment."
)
environments_option = click.option(
    "--env",
    "environments",
    metavar="NAME",
    multiple=True,
    shell_complete=complete_environments,
    help="Apply this environment; repeatable.",
)
fail_on_option = click.option(
    "--fail-on",
    type=click.Choice([severity.value for severity in Severity]),
    default=Severity.ERROR.value,
    show_default=True,
    help="The lowest severity that makes the exit code 1.",
)
focus_option = click.option(
    "--focus",
    metavar="NAME",
    help="Draw only this resource and all that it is connected to; or this team and its neighbours.",
)


class FiniteRange(click.FloatRange):
    """A range of numbers. Refuses nan, which is neither below nor above anything, and infinity."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number", param, ctx)
        return number

    def _describe_range(self) -> str:
        """For the help, where click would write 0<x<=3600."""
        least = f"{'above' if self.min_open else 'at least'} {self.min:g}" if self.min is not None else ""
        most = f"{'below' if self.max_open else 'at most'} {self.max:g}" if self.max is not None else ""
        return " and ".join(filter(None, [least, most]))


class Positive(click.IntRange):
    """A whole number from 1."""

    def __init__(self) -> None:
        super().__init__(min=1)

    def _describe_range(self) -> str:
        return "at least 1"


class Duration(click.ParamType[timedelta]):
    """A time as people write it: 30s, 10m. At most a year: a longer one is a mistake."""

    name = "duration"
    _LONGEST = timedelta(days=366)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        from kafka_topology.topology.model.units import parse_duration

        if isinstance(value, timedelta):
            return value
        amount = parse_duration(str(value))
        if amount is None or not 0 < amount <= self._LONGEST / timedelta(milliseconds=1):
            self.fail(f"`{value}` is not a duration from 1ms to 366d, such as 30s or 10m", param, ctx)
        return timedelta(milliseconds=amount)


def format_option(choices: Sequence[str], help_text: str = "", default: str | None = None) -> Callable[..., Any]:
    """`--format NAME[=FILE],…`, for commands with formats of their own. The command gets `outputs`.

    The first choice is the default, unless `default` says in words what it depends on; then `outputs` may be empty.
    """
    said = f"Output format, to stdout or to a file: {', '.join(choices)}. {help_text}".strip()
    return click.option(
        "--format",
        "outputs",
        metavar="NAME[=FILE],…",
        multiple=True,
        default=() if default else (choices[0],),
        callback=lambda _context, _parameter, given: _outputs(given, choices),
        shell_complete=lambda _context, _parameter, start: [
            CompletionItem(name) for name in choices if name.startswith(start)
        ],
        help=f"{said} Separate several with commas. Default: {default or choices[0]}.",
    )


def _outputs(given: tuple[str, ...], choices: Sequence[str]) -> tuple[Output, ...]:
    from kafka_topology.report.findings.formats import BadFormat, parse_outputs

    try:
        return parse_outputs(given, dict.fromkeys(choices))
    except BadFormat as error:
        raise click.BadParameter(str(error), param_hint="--format") from error


def input_file_option(name: str, help_text: str) -> Callable[..., Any]:
    """A file that another command wrote."""
    kind = click.Path(path_type=Path, dir_okay=False)
    return click.option(f"--{name}", f"{name}_file", metavar="FILE", type=kind, help=help_text)


def refuse_without_effect(parameters: Collection[str], reason: str) -> None:
    """Ends the command when one of these options was passed: it would change nothing, so it is a mistake."""
    context = click.get_current_context()
    for option in context.command.params:
        given = context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if option.name in parameters and given:
            raise click.UsageError(f"{option.opts[-1]} {reason}")
