"""`kafka-topology audit`."""

from __future__ import annotations

from pathlib import Path

import click

from kafka_topology.report.run import Run, quoting
from kafka_topology.topology import Severity

from ..arguments import environment_option, fail_on_option, topology_argument
from ..connecting import client_settings, connection_options
from ..exits import Command, exit_code, finding_exits
from ..loading import load_or_exit, loaded_topology
from ..reporting import formats_option, keep_inputs_of_formats, outputs_of, report
from ..writing import files_of

EPILOG = """\b
Examples:
  kafka-topology audit topology/ --env prod --bootstrap localhost:9092
  kafka-topology audit topology/ --client-config client.properties \\
      --format json=audit.json,text
"""


@click.command(name="audit", cls=Command, exits=finding_exits(live=True), epilog=EPILOG)
@topology_argument
@environment_option
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

    Compares every declared resource and the brokers with the cluster: settings, in-sync replicas, leaders, racks, lag,
    access, logins and limits. Also reports resources inside the ownership that nobody declared.
    """
    outputs = outputs_of(formats)
    client = client_settings(bootstrap, client_config)
    loaded = load_or_exit(path, environment)
    keep_inputs_of_formats(outputs, [*files_of(path, loaded), client_config])
    from kafka_topology.audit.run import audit_cluster

    audited = audit_cluster(loaded_topology(loaded), client, timeout)
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
    raise SystemExit(exit_code(failing=bool(run.failing), unchecked=bool(run.could_not_check)))
