"""What a shell offers when Tab is pressed: rules, environments, revisions. Offers nothing where something is wrong."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path

import click
from click.shell_completion import CompletionItem

_PATIENCE = 3.0  # seconds for git


def complete_rules(_context: click.Context, _parameter: click.Parameter, start: str) -> list[CompletionItem]:
    """Ids and, once somebody types small letters, names."""
    from kafka_topology.validators import installed_rules

    rules = installed_rules().rules
    if start and start == start.lower() and not start.startswith("kt"):
        return [CompletionItem(rule.name, help=rule.id) for rule in rules if rule.name.startswith(start)]
    return [CompletionItem(rule.id, help=rule.name) for rule in rules if rule.id.startswith(start.upper())]


def complete_environments(context: click.Context, _parameter: click.Parameter, start: str) -> list[CompletionItem]:
    """Those of the topology on the command line, or of the folder `topology`."""
    from kafka_topology.topology import load

    # While the last option has no value yet, click leaves all arguments unparsed.
    unparsed = next((argument for argument in context.args if not argument.startswith("-")), "topology")
    given = context.params.get("path") or context.params.get("head") or unparsed
    topology = load(Path(given)).topology
    names = topology.environments if topology is not None else ()
    return [CompletionItem(name) for name in names if name.startswith(start)]


def complete_revisions(_context: click.Context, _parameter: click.Parameter, start: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in _revisions() if name.startswith(start)]


def complete_versions(_context: click.Context, _parameter: click.Parameter, start: str) -> list[CompletionItem]:
    """A file or a folder, or a revision that a path follows."""
    found = [CompletionItem(f"{name}:") for name in _revisions() if f"{name}:".startswith(start)]
    return [*found, CompletionItem(start, type="file")]


def _revisions() -> list[str]:
    with suppress(OSError, subprocess.SubprocessError):
        command = ["git", "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes", "refs/tags"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_PATIENCE)
        return ["HEAD", *done.stdout.split()]
    return []
