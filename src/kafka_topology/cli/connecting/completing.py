"""Completes the parameters of a command from a Pulumi stack, and says in one line what came from it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from kafka_topology.topology.model.words import named

from ..exits import Exit, stop
from .given import given_settings
from .taken import Taken, keep

if TYPE_CHECKING:
    from kafka_topology.stacks.stack import Stack

Given = Mapping[str, Any]
LONGEST_TIMEOUT: Final = 3600


def is_explicit(parameter: str) -> bool:
    return click.get_current_context().get_parameter_source(parameter) is ParameterSource.COMMANDLINE


def completed(given: Given, stack: Stack, *, is_selected: bool, asks: bool) -> dict[str, Any]:
    """The parameters with all that the command line left open. Ends the command if the two contradict each other.

    Raises StackUnreadable if the stack's config is wrong.
    """
    found, said, parts = dict(given), list[str](), list[str]()
    path = Path(os.path.relpath(stack.path))
    if "path" in given and given["path"] is None:
        found["path"] = path
        parts.append("path")
        said.append(f"path {path}")
    elif "path" in given and given["path"].resolve() != stack.path.resolve():
        if is_selected and asks:
            raise click.UsageError(
                f"PATH is {given['path']}, but the selected stack {stack.name} applies {path}; leave PATH out, or pass "
                f"--stack {stack.name} to compare {given['path']} with its cluster, or --bootstrap for another cluster"
            )
        if is_selected:
            return found
        said.append(f"path {given['path']} instead of {path}")
    for parameter in {"environment", "environments"} & given.keys():
        if given[parameter]:
            said.append(f"environment {named(_texts(given[parameter]))} from the command line")
            continue
        environment = _environment(stack, found["path"])
        if environment is not None:
            found[parameter] = environment if parameter == "environment" else (environment,)
        parts.append("environment")
        said.append(f"environment {environment}" if environment else "no environment")
    taken = Taken(stack, tuple(parts))
    if asks:
        taken = _reaching(taken, given)
        said.append(_address(taken))
        assert taken.settings is not None  # noqa: S101 - `_reaching` made them
        if not is_explicit("timeout"):
            found["timeout"] = min(taken.settings.request_timeout, LONGEST_TIMEOUT)
    keep(taken)
    click.echo(f"{'selected stack' if is_selected else 'stack'} {stack.name}: {', '.join(said)}", err=True)
    _refuse_other_cluster(taken)
    return found


def _texts(given: str | tuple[str, ...]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else given


def _environment(stack: Stack, path: Path) -> str | None:
    """The configured environment, or else the one with the stack's name, if the topology declares it."""
    if stack.environment is not None:
        return stack.environment
    from kafka_topology.topology import load

    topology = load(path, stack.short_name, environment_optional=True).topology
    return topology.environment if topology is not None else None


def _reaching(taken: Taken, given: Given) -> Taken:
    from kafka_topology.stacks.stack import client_config

    explicit = given_settings(given["bootstrap"], given["client_config"])
    settings = taken.stack.settings(os.environ, explicit.get("bootstrap.servers"))
    parts = taken.parts if "bootstrap.servers" in explicit else (*taken.parts, "cluster")
    return replace(taken, parts=parts, settings=settings, client=client_config(settings, explicit))


def _address(taken: Taken) -> str:
    """The cluster in a few words, and where its address is from."""
    assert taken.client is not None  # noqa: S101 - `_reaching` made it
    address = f"cluster {taken.client['bootstrap.servers']}"
    if "cluster" not in taken.parts:
        return f"{address} from the command line"
    if taken.stack.has_secret_address:
        return "cluster [secret]"
    return address if "bootstrapServers" in taken.stack.values else f"{address} from KAFKA_BOOTSTRAP_SERVERS"


def _refuse_other_cluster(taken: Taken) -> None:
    """Ends the command if the stack names its cluster, and the brokers belong to another one."""
    settings = taken.settings
    if settings is None or taken.client is None or settings.cluster_id is None:
        return
    from kafka_topology.cluster.cluster import Cluster
    from kafka_topology.cluster.connecting.settings import client_only
    from kafka_topology.cluster.outcomes import ClusterUnreachableError
    from kafka_topology.provider.config.settings import why_other_cluster

    cluster = Cluster(client_only(taken.client, settings.request_timeout))
    try:
        actual = cluster.connect()
    except ClusterUnreachableError as error:
        stop(Exit.COULD_NOT_CHECK, str(error))
    finally:
        cluster.close()
    if actual != settings.cluster_id:
        asked = replace(settings, servers=taken.client["bootstrap.servers"])
        stop(Exit.COULD_NOT_CHECK, why_other_cluster(asked, settings.cluster_id, actual))
