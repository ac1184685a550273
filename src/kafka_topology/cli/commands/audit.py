"""`kafka-topology audit`."""

from __future__ import annotations

from pathlib import Path

import click

from kafka_topology.cli.connecting import client_settings, connection_options
from kafka_topology.cli.loading import load_or_exit
from kafka_topology.cli.reporting import fail_on_option, formats_option, outputs_of, report
from kafka_topology.report.run import Run, quoting
from kafka_topology.topology import Severity

FINDINGS, COULD_NOT_CHECK = 1, 3
EPILOG = """\b
Examples:
  kafka-topology audit topology/ --env prod --bootstrap localhost:9092
  kafka-topology audit topology/ --client-config client.properties --format json=audit.json,text
"""


@click.command(name="audit", epilog=EPILOG)
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--env", "environment", metavar="NAME", help="Lay this environment over the topology.")
@connection_options
@formats_option
@fail_on_option
def command(
    *,
    path: Path,
    environment: str | None,
    bootstrap: str | None,
    client_config: Path | None,
    timeout: float,
    formats: tuple[str, ...],
    fail_on: str,
) -> None:
    """Compare the live cluster with the topology at PATH. Reads only.

    Looks at topics and their settings, replicas in sync, leaders, racks, consumer groups and their lag, access rules,
    users, quotas and brokers, and for what nobody declared inside the ownership.

    \b
    Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 the files cannot be read as a topology,
    3 nothing found, but not everything could be checked.
    """
    outputs = outputs_of(formats)
    client = client_settings(bootstrap, client_config)
    loaded = load_or_exit(path, environment)
    topology = loaded.topology
    assert topology is not None  # noqa: S101 - it would have ended above
    from kafka_topology.auditing import audit_cluster

    audited = audit_cluster(topology, client, timeout)
    run = Run(
        subject=str(path),
        folder=Path.cwd(),
        environment=environment,
        command="audit",
        findings=audited.outcome.findings,
        suppressed=audited.outcome.suppressed,
        rules=audited.outcome.rules,
        ran=audited.outcome.ran,
        fail_on=Severity(fail_on),
        quote=quoting(loaded),
        could_not_check=audited.could_not_check,
        live=audited.live,
    )
    report(outputs, run)
    if run.failing:
        raise SystemExit(FINDINGS)
    if run.could_not_check:
        raise SystemExit(COULD_NOT_CHECK)
