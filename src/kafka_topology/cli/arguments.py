"""Arguments that most commands take."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from kafka_topology.topology import Severity

topology_argument = click.argument("path", type=click.Path(path_type=Path))
environment_option = click.option("--env", "environment", metavar="NAME", help="Apply this environment.")
environments_option = click.option(
    "--env", "environments", metavar="NAME", multiple=True, help="Apply this environment; repeatable."
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


def format_option(choices: Sequence[str], help_text: str) -> Callable[..., Any]:
    """`--format NAME`, for commands with one output. The first choice is the default."""
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(choices),
        default=choices[0],
        show_default=True,
        help=help_text,
    )


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
