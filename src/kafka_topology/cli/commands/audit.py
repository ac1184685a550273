"""`kafka-topology audit`."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kafka_topology.report.run import Run, quoting
from kafka_topology.topology import Severity

from ..arguments import Duration, deployed_argument, environment_option, fail_on_option, refuse_without_effect
from ..connecting import client_settings, connection_options, stack_options
from ..exits import INTERRUPTED, Command, Exit, exit_code, finding_exits
from ..loading import load_or_exit, loaded_topology
from ..reporting import formats_option, keep_inputs_of_formats, outputs_of, report
from ..writing import files_of

if TYPE_CHECKING:
    from kafka_topology.audit.run import Audited
    from kafka_topology.report.findings.formats import Output

    from ..auditing.watching import Watch

EPILOG = """\b
Examples:
  kafka-topology audit
  kafka-topology audit --stack prod
  kafka-topology audit topology/ --env prod --bootstrap localhost:9092
  kafka-topology audit topology/ --client-config client.properties \\
      --format json=audit.json,text
  kafka-topology audit topology/ --bootstrap localhost:9092 --for 10m
  kafka-topology audit topology/ --bootstrap localhost:9092 --watch
"""


@click.command(name="audit", cls=Command, exits=finding_exits(live=True), epilog=EPILOG)
@deployed_argument
@environment_option
@stack_options()
@connection_options
@click.option(
    "--for",
    "grace",
    type=Duration(),
    metavar="DURATION",
    help="Report what may pass by itself, such as replicas out of sync or lag, only if it lasts this long.",
)
@click.option("--watch", is_flag=True, help="Look again and again, and show what is new and what is gone.")
@click.option(
    "--every", type=Duration(), default="30s", show_default=True, metavar="DURATION", help="How often --watch looks."
)
@click.option(
    "--listen", metavar="HOST:PORT", help="With --watch: serve the last look at /metrics, as Prometheus reads it."
)
@formats_option
@fail_on_option
def command(
    *,
    path: Path,
    environment: str | None,
    bootstrap: str | None,
    client_config: Path | None,
    timeout: float,
    grace: timedelta | None,
    watch: bool,
    every: timedelta,
    listen: str | None,
    formats: tuple[str, ...],
    fail_on: str,
) -> None:
    """Compare the live cluster with the topology at PATH. Reads only.

    Compares every declared resource and the brokers with the cluster: settings, in-sync replicas, leaders, racks, lag,
    access, logins and limits. Also reports resources inside the ownership that nobody declared.
    """
    outputs = outputs_of(formats)
    if not watch:
        refuse_without_effect(("every", "listen"), "needs --watch")
    elif any(output.file is None and output.name != "text" for output in outputs):
        raise click.BadParameter("--watch prints text; write other formats to files, such as json=FILE")
    client = client_settings(bootstrap, client_config)
    loaded = load_or_exit(path, environment)
    keep_inputs_of_formats(outputs, [*files_of(path, loaded), client_config])
    from kafka_topology.audit.lasting.grace import graces_of
    from kafka_topology.audit.run import Auditor

    from ..auditing.waiting import now, patiently

    topology = loaded_topology(loaded)
    auditor = Auditor(topology, client, timeout)
    graces = graces_of(topology, grace)

    def as_run(audited: Audited, at: datetime) -> Run:
        return Run(
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
            at=at,
        )

    if watch:
        from kafka_topology.audit.lasting.following import Following

        from ..auditing.watching import Watch

        raise SystemExit(_watched(Watch(auditor.look, as_run, Following(graces)), every, outputs, listen))
    try:
        run = as_run(patiently(auditor.look, graces), now())
    except KeyboardInterrupt:
        click.echo("\ninterrupted: nothing is reported", err=True)
        raise SystemExit(INTERRUPTED) from None
    report(outputs, run)
    raise SystemExit(_code(run))


def _watched(watched: Watch, every: timedelta, outputs: tuple[Output, ...], listen: str | None) -> int:
    """Until Ctrl-C. The exit code is that of the last look; there may be none."""
    from ..auditing.serving import served
    from ..auditing.watching import watch

    files = tuple(output for output in outputs if output.file is not None)
    try:
        with served(listen) as serve:

            def deliver(run: Run) -> None:
                report(files, run)
                serve(run)

            watch(watched, every, deliver)
    except KeyboardInterrupt:
        click.echo("", err=True)
    return INTERRUPTED if watched.last is None else _code(watched.last)


def _code(run: Run) -> Exit:
    return exit_code(failing=bool(run.failing), unchecked=bool(run.could_not_check))
