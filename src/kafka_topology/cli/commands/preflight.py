"""`kafka-topology preflight`."""

from __future__ import annotations

import json
import os
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kafka_topology.report.run import Run, quoting
from kafka_topology.topology import Severity

from ..arguments import deployed_argument, environment_option, fail_on_option, input_file_option
from ..connecting import client_settings, connection_options, stack_options
from ..connecting.taken import described, taken
from ..exits import Command, Exit, exit_code, stop
from ..loading import load_or_exit, loaded_topology
from ..writing import deliver, files_of, keep_inputs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafka_topology.preflight.deployed import Deployed
    from kafka_topology.preflight.fingerprints import Fingerprint
    from kafka_topology.provider.config.settings import Settings
    from kafka_topology.report.findings.formats import Output
    from kafka_topology.topology import Topology

EXITS = {
    Exit.FINE: "yes: deploy it",
    Exit.FINDINGS: "no: findings at or above --fail-on",
    Exit.UNUSABLE: "wrong usage, or the files cannot be read as a topology",
    Exit.COULD_NOT_CHECK: "no such findings, but not everything could be checked",
}
EPILOG = """\b
Examples:
  kafka-topology preflight --stack prod
  kafka-topology preflight topology/ --bootstrap localhost:9092 --base HEAD~1
  kafka-topology preflight --stack prod --format json=preflight.json,text
  kafka-topology preflight --stack prod --expect preflight.json
"""


@click.command(name="preflight", cls=Command, exits=EXITS, epilog=EPILOG)
@deployed_argument
@environment_option
@stack_options()
@connection_options
@click.option(
    "--base", metavar="REV", help="Git revision that is deployed now. Default: the state of the stack, if there is one."
)
@input_file_option("state", "Output of `pulumi stack export`: what is deployed now.")
@input_file_option("expect", "JSON of an earlier preflight: say no if files, stack or cluster changed since.")
@click.option(
    "--format",
    "formats",
    metavar="NAME[=FILE],…",
    multiple=True,
    default=("text",),
    help="Output format, to stdout or to a file: text, github, gitlab, json, junit, markdown, sarif. Separate"
    " several with commas. Default: text.",
)
@fail_on_option
def command(
    *,
    path: Path,
    environment: str | None,
    bootstrap: str | None,
    client_config: Path | None,
    timeout: float,
    base: str | None,
    state_file: Path | None,
    expect_file: Path | None,
    formats: tuple[str, ...],
    fail_on: str,
) -> None:
    """Say whether the topology at PATH may be deployed to the cluster now. Reads only.

    Runs the rules, lets the brokers validate every request of the deployment, and looks at drift, at readers and
    writers of what would be deleted, at the health of the cluster, free disk, permissions and versions.
    """
    outputs = _outputs(formats)
    client = client_settings(bootstrap, client_config)
    loaded = load_or_exit(path, environment)
    topology = loaded_topology(loaded)
    inputs = [*files_of(path, loaded), client_config, state_file, expect_file]
    for output in outputs:
        keep_inputs(output.file, inputs, "--format")
    expected = _expected(expect_file)
    deployed = _deployed(path, environment, base, state_file)
    from kafka_topology.preflight.run import preflight
    from kafka_topology.report.preflight.formats import Presented, preflight_formats

    found = preflight(topology, _settings(topology, client, timeout), deployed, expected, Severity(fail_on))
    run = Run(
        subject=str(path),
        folder=Path.cwd(),
        environment=environment,
        command="preflight",
        findings=found.outcome.findings,
        suppressed=found.outcome.suppressed,
        rules=found.outcome.rules,
        ran=found.outcome.ran,
        fail_on=Severity(fail_on),
        quote=quoting(loaded),
        could_not_check=found.could_not_check,
        stack=described(),
    )
    stack = taken()
    hidden = stack is not None and stack.stack.has_secret_address
    presented = Presented(preflighted=found, run=run, cluster="the cluster" if hidden else client["bootstrap.servers"])
    for output in outputs:
        deliver(preflight_formats().by_name[output.name], presented, output.file, "--format")
    raise SystemExit(exit_code(failing=bool(run.failing), unchecked=bool(run.could_not_check)))


def _outputs(formats: tuple[str, ...]) -> tuple[Output, ...]:
    from kafka_topology.report.findings.formats import BadFormat, parse_outputs
    from kafka_topology.report.preflight.formats import preflight_formats

    try:
        return parse_outputs(formats, preflight_formats().by_name)
    except BadFormat as error:
        raise click.BadParameter(str(error), param_hint="--format") from error


def _settings(topology: Topology, client: Mapping[str, str], timeout: float) -> Settings:
    """The provider's settings: of the stack, or else its defaults, with the ownership of the files."""
    from kafka_topology.cluster.connecting.settings import ClientSettings, client_only
    from kafka_topology.provider.config.settings import Owned, Settings

    only = client_only(client, timeout)
    plain = {each.name: getattr(only, each.name) for each in fields(ClientSettings)}
    ownership = topology.ownership
    owned = Owned(ownership.topics, ownership.groups, ownership.principals, ownership.grants)
    stack = taken()
    if stack is None or stack.settings is None:
        return Settings(**plain, owned=owned)
    secrets = stack.settings.secrets | only.secrets
    return replace(stack.settings, **{**plain, "secrets": secrets}, owned=owned)


def _deployed(path: Path, environment: str | None, base: str | None, state_file: Path | None) -> Deployed | None:
    """What is deployed now, by the option that says so, or else by the stack's state; None if nobody says it."""
    from kafka_topology.preflight.deployed import BadState, read_state

    if base is not None and state_file is not None:
        raise click.UsageError("give --base or --state, not both")
    if base is not None:
        return _at_revision(path, environment, base)
    stack = taken()
    try:
        if state_file is not None:
            return read_state(json.loads(state_file.read_text(encoding="utf-8")), f"the state in {state_file}")
        if stack is None:
            return None
        from kafka_topology.stacks.locks import locks_of
        from kafka_topology.stacks.pulumi_cli import PulumiCli, StackUnreadable

        try:
            cli = PulumiCli(stack.stack.project, os.environ)
            held = cli.exported(stack.stack.name)
            locks = locks_of(cli, stack.stack.name)
        except StackUnreadable as error:
            stop(Exit.COULD_NOT_CHECK, str(error))
        return replace(read_state(held, f"the state of the stack {stack.stack.name}"), locks=locks)
    except (OSError, ValueError, BadState) as error:
        raise click.UsageError(f"cannot use the state in {state_file}: {error}") from error


def _at_revision(path: Path, environment: str | None, base: str) -> Deployed:
    from kafka_topology.preflight.deployed import Deployed, deployed_by
    from kafka_topology.revisions import BadRevision, NotThere, find_revision

    try:
        revision = find_revision(base, str(path))
        try:
            loaded = revision.load(environment, environment_optional=True)
        except NotThere:
            return Deployed(f"{revision.label}, which has no {path}")
    except BadRevision as error:
        stop(Exit.UNUSABLE, str(error))
    if loaded.topology is None:
        first = loaded.problems[0]
        stop(Exit.UNUSABLE, f"{revision.label} cannot be read as a topology: {first.location}: {first.message}")
    return deployed_by(loaded.topology, revision.label)


def _expected(file: Path | None) -> Fingerprint | None:
    from kafka_topology.preflight.fingerprints import read_fingerprint

    if file is None:
        return None
    try:
        return read_fingerprint(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise click.UsageError(f"cannot use {file} as the JSON of a preflight: {error}") from error
