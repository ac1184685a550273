"""`kafka-topology validate`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import click

from kafka_topology.baseline import BadBaseline, Baseline, read_baseline, write_baseline
from kafka_topology.cli.reporting import fail_on_option, formats_option, outputs_of, report
from kafka_topology.report.run import Run, quoting
from kafka_topology.topology import Finding, Severity, load
from kafka_topology.validators import Outcome

EPILOG = """\b
Examples:
  kafka-topology validate topology/ --env prod
  kafka-topology validate topology/ --format sarif=out.sarif,text
  kafka-topology validate topology/ --fix --diff
"""


@click.command(name="validate", epilog=EPILOG)
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--env", "environment", metavar="NAME", help="Lay this environment over the topology.")
@formats_option
@fail_on_option
@click.option("--rule", "only", metavar="ID", multiple=True, help="Run only this rule, or all that begin like KT1.")
@click.option("--skip", metavar="ID", multiple=True, help="Leave this rule out, or all that begin like KT1.")
@click.option(
    "--baseline",
    "baseline_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Do not count the findings that this file lists.",
)
@click.option("--update-baseline", is_flag=True, help="Write all findings into the --baseline file.")
@click.option("--fix", is_flag=True, help="Mend in the files what can be mended safely.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and write nothing.")
def command(
    *,
    path: Path,
    environment: str | None,
    formats: tuple[str, ...],
    fail_on: str,
    only: tuple[str, ...],
    skip: tuple[str, ...],
    baseline_file: Path | None,
    update_baseline: bool,
    fix: bool,
    diff: bool,
) -> None:
    """Judge the topology at PATH, a file or a folder, by the rules. Needs no cluster.

    \b
    Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 the files cannot be read as a topology.
    """
    from kafka_topology.validators import installed_rules, run

    outputs = outputs_of(formats)
    if update_baseline and baseline_file is None:
        raise click.UsageError("--update-baseline needs --baseline FILE")
    select = _selection(only, skip)
    baseline = _baseline(baseline_file) if baseline_file is not None and not update_baseline else None

    loaded = load(path, environment)
    if loaded.topology is not None and (fix or diff):
        from kafka_topology.cli.fixing import fix_files

        fix_files(path, environment, select, _uncounted_left_out(baseline), only_show=diff)
        loaded = loaded if diff else load(path, environment)
    found = Run(
        subject=str(path),
        folder=Path.cwd(),
        environment=environment,
        findings=loaded.problems,
        rules=installed_rules().rules,
        fail_on=Severity(fail_on),
        quote=quoting(loaded),
    )
    if loaded.topology is None:
        report(outputs, found)
        raise SystemExit(2)
    outcome = run(loaded.topology, select=select)
    if update_baseline and baseline_file is not None:
        _update(baseline_file, outcome)
        return
    judged = _judged(found, outcome, baseline)
    if not diff:
        report(outputs, judged)
    if judged.failing:
        raise SystemExit(1)


def _selection(only: tuple[str, ...], skip: tuple[str, ...]) -> Callable[[str], bool]:
    """By id or by the beginning of ids. A name that fits no rule is a mistake."""
    from kafka_topology.cli.catalogue import suggestion_for
    from kafka_topology.validators import installed_rules

    known = [rule.id for rule in installed_rules().rules if rule.found_by != "audit"]
    for option, ids in (("--rule", only), ("--skip", skip)):
        for wanted in ids:
            if wanted.startswith("KTA"):
                message = f"{wanted} is about the live cluster: `kafka-topology audit` finds it"
                raise click.BadParameter(message, param_hint=option)
            custom = not wanted.startswith("KT") or wanted.startswith("KT9")  # declared in files not read yet
            if not custom and not any(rule.startswith(wanted) for rule in known):
                raise click.BadParameter(f"no rule is called {wanted}{suggestion_for(wanted)}", param_hint=option)

    def select(rule: str) -> bool:
        return (not only or rule.startswith(only)) and not (skip and rule.startswith(skip))

    return select


def _baseline(file: Path) -> Baseline:
    try:
        return read_baseline(file)
    except BadBaseline as error:
        raise click.UsageError(str(error)) from error


def _uncounted_left_out(baseline: Baseline | None) -> Callable[[Outcome], Sequence[Finding]]:
    """What the baseline lists is not mended either: it is not what this run is about."""

    def wanted(outcome: Outcome) -> Sequence[Finding]:
        return outcome.findings if baseline is None else baseline.compare(outcome.findings, outcome.ran).new

    return wanted


def _update(file: Path, outcome: Outcome) -> None:
    try:
        count = write_baseline(file, outcome.findings)
    except OSError as error:
        raise click.UsageError(f"{file}: {(error.strerror or str(error)).lower()}") from error
    click.echo(f"{file}: {count:,} findings are the baseline now", err=True)


def _judged(found: Run, outcome: Outcome, baseline: Baseline | None) -> Run:
    judged = replace(
        found, findings=outcome.findings, suppressed=outcome.suppressed, rules=outcome.rules, ran=outcome.ran
    )
    if baseline is None:
        return judged
    compared = baseline.compare(outcome.findings, outcome.ran)
    return replace(judged, findings=compared.new, baselined=compared.known, stale=compared.stale)
