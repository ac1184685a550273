"""`--stack`: takes topology, environment and cluster from where `pulumi up` takes them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from ..exits import Exit, stop
from .completing import Given, completed, is_explicit
from .finding import named_stack, selected_stack
from .taken import taken, why_no_stack

_ADDRESS = ("bootstrap", "client_config")
_EXPLICIT = (*_ADDRESS, "environment", "environments")
_HELP = (
    "Take what is not given from the config of this Pulumi stack: path, environment and cluster. Default: the selected "
    "stack, unless --bootstrap, --client-config or --env is given."
)
_IMPORT_HELP = (
    "Pulumi stack to import into. Without --bootstrap and --client-config, its config also says how to reach the "
    "cluster. Default: the selected stack, or else dev."
)


def stack_options(
    asks: Callable[[Given], bool] = lambda _: True,
    *,
    by_default: Callable[[Given], bool] | None = None,
    names_stack: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`--stack` and `--no-stack`. The command gets its path, environment and timeout as if they were passed to it.

    `asks` says of the parameters whether the command asks a cluster; then `client_settings` has the stack's as well.
    Unless `by_default` says otherwise, such a command uses the selected stack without being told to.

    With `names_stack`, the command also gets the stack's name, or None. If it is given an address, the stack is not
    read: it may not exist yet.
    """
    offered = by_default or asks

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def run(*, stack: str | None, no_stack: bool, **given: Any) -> Any:
            if stack is not None and no_stack and not names_stack:
                raise click.UsageError("give --stack or --no-stack, not both")
            if not no_stack and not (names_stack and any(map(is_explicit, _ADDRESS))):
                given = _with_stack(given, stack, asks=asks(given), is_offered=offered(given))
            if "path" in given and given["path"] is None:
                why = why_no_stack() or "; only a Pulumi stack could name the topology, and none is used here"
                raise click.UsageError(f"Missing argument 'PATH'{why}")
            if names_stack:
                found = taken()
                given["stack"] = stack if found is None else found.stack.short_name
            return command(**given)

        off = click.option("--no-stack", is_flag=True, help="Read no Pulumi stack.")
        by_name = click.option(
            "--stack", metavar="NAME", shell_complete=_complete, help=_IMPORT_HELP if names_stack else _HELP
        )
        return by_name(off(run))

    return decorate


def _with_stack(given: dict[str, Any], name: str | None, *, asks: bool, is_offered: bool) -> dict[str, Any]:
    """The parameters, completed from the named stack, or from the selected one where that is the default."""
    if name is None and (not is_offered or any(map(is_explicit, _EXPLICIT))):
        return given
    from kafka_topology.stacks.pulumi_cli import PulumiSilent, StackUnreadable

    path = given.get("path")
    try:
        if name is not None:
            stack = named_stack(name, path, secrets=asks)
        elif (selected := selected_stack(path, secrets=asks)) is not None:
            stack = selected
        else:
            return given
        return completed(given, stack, is_selected=name is None, asks=asks)
    except StackUnreadable as error:
        if asks or name is not None:
            code = Exit.COULD_NOT_CHECK if asks and isinstance(error, PulumiSilent) else Exit.UNUSABLE
            needed = "PATH and --bootstrap HOST:PORT" if "path" in given and path is None else "--bootstrap HOST:PORT"
            stop(code, f"{error}; or pass {needed} to do without the stack" if name is None else str(error))
        click.echo(f"no stack is used: {error}; pass --no-stack to silence this", err=True)
        return given


def _complete(context: click.Context, _: click.Parameter, start: str) -> list[CompletionItem]:
    """Stacks with a config file. Pulumi itself would take too long to start."""
    from kafka_topology.stacks.project import find_project

    project = find_project(context.params.get("path") or Path())
    names = project.stacks_with_files() if project is not None else ()
    return [CompletionItem(name) for name in names if name.startswith(start)]
