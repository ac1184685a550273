"""Finds the Pulumi stack of a command: the named one, or the selected one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .taken import keep_why_not

if TYPE_CHECKING:
    from kafka_topology.stacks.stack import Stack


def named_stack(name: str, path: Path | None, *, secrets: bool) -> Stack:
    """The stack of that name, in the project of the topology, or else of the current folder.

    Raises StackUnreadable if Pulumi cannot read it.
    """
    from kafka_topology.provider.config.settings import PACKAGE
    from kafka_topology.stacks.project import find_project
    from kafka_topology.stacks.pulumi_cli import PulumiCli
    from kafka_topology.stacks.stack import read_stack

    project = find_project(path or Path()) or find_project(Path())
    if project is None:
        where = f"there is no Pulumi.yaml in {path or Path.cwd()} or above"
        raise click.UsageError(f"--stack {name} needs a Pulumi project, but {where}; run it in the project's folder")
    found = read_stack(PulumiCli(project, os.environ), name, secrets=secrets)
    if not found.values and not project.uses(PACKAGE):
        raise click.UsageError(
            f"the stack {name} of {project} has no {PACKAGE} config; set {PACKAGE}:path and "
            f"{PACKAGE}:bootstrapServers with `pulumi config set`, or pass PATH and --bootstrap without --stack"
        )
    return found


def selected_stack(path: Path | None, *, secrets: bool) -> Stack | None:
    """The selected stack, if its project is that of the topology or, without one, of the current folder.

    None if no stack is selected, or if the project is not for us. Raises StackUnreadable if Pulumi cannot tell.
    """
    from kafka_topology.provider.config.settings import PACKAGE
    from kafka_topology.stacks.project import find_project
    from kafka_topology.stacks.pulumi_cli import PulumiCli
    from kafka_topology.stacks.stack import read_stack

    project = find_project(path or Path())
    if project is None or not project.uses(PACKAGE):
        return None
    cli = PulumiCli(project, os.environ)
    name = cli.selected()
    if name is None:
        keep_why_not(f"no stack of {project} is selected: run `pulumi stack select`, or pass --stack NAME")
        return None
    return read_stack(cli, name, secrets=secrets)
