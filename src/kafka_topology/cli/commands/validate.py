"""`kafka-topology validate`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kafka_topology.baseline import BadBaseline, Baseline, read_baseline, write_baseline
from kafka_topology.files import why, why_not_writable
from kafka_topology.report.run import Run, quoting
from kafka_topology.topology import Finding, Loaded, Severity, load
from kafka_topology.topology.model.findings import in_reading_order
from kafka_topology.topology.model.words import counted
from kafka_topology.validators import Outcome

from ..arguments import environment_option, fail_on_option, refuse_without_effect, topology_argument
from ..baselines import baseline_option, baseline_or_exit, warn_of_old_entries
from ..completion import complete_rules
from ..exits import Command, Exit, exit_code, finding_exits
from ..reporting import formats_option, keep_inputs_of_formats, outputs_of, report
from ..rule_lookup import rule_selection
from ..writing import files_of, keep_inputs

if TYPE_CHECKING:
    from kafka_topology.fixing.fixes import Refused

EPILOG = """\b
Examples:
  kafka-topology validate topology/ --env prod
  kafka-topology validate topology/ --format sarif=out.sarif,text
  kafka-topology validate topology/ --fix --diff
"""


@click.command(name="validate", cls=Command, exits=finding_exits(live=False), epilog=EPILOG)
@topology_argument
@environment_option
@formats_option
@fail_on_option
@click.option(
    "--rule",
    "only",
    metavar="RULE",
    multiple=True,
    shell_complete=complete_rules,
    help="Run only this rule, an id or a name, or all rules with a prefix such as KT1; repeatable.",
)
@click.option(
    "--skip",
    metavar="RULE",
    multiple=True,
    shell_complete=complete_rules,
    help="Skip this rule, an id or a name, or all rules with a prefix such as KT1; repeatable.",
)
@baseline_option
@click.option("--update-baseline", is_flag=True, help="Write all findings into the --baseline file.")
@click.option("--fix", is_flag=True, help="Fix findings in the files where it is safe.")
@click.option("--diff", is_flag=True, help="Show what --fix would change; write nothing.")
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
    """Check the topology at PATH, a file or a folder, against the rules. Needs no cluster."""
    from kafka_topology.validators import installed_rules, rule_problems, run

    outputs = outputs_of(formats)
    earlier = _refuse_contradictions(baseline_file, update_baseline=update_baseline, diff=diff)
    baseline = baseline_or_exit(baseline_file) if baseline_file is not None and not update_baseline else None

    loaded = load(path, environment)
    files = list(files_of(path, loaded))
    keep_inputs_of_formats(outputs, [*files, baseline_file])
    if update_baseline:
        keep_inputs(baseline_file, files, "--baseline")
    select = rule_selection(only, skip, loaded.topology) if loaded.topology is not None else None
    refused: list[Refused] = []
    if select is not None and (fix or diff):
        from kafka_topology.cli.fixing import fix_files

        refused = fix_files(path, environment, select, _uncounted_left_out(baseline, environment), only_show=diff)
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
    if loaded.topology is None or select is None:
        problems = in_reading_order([*loaded.problems, *rule_problems(loaded.rules)])
        report(outputs, replace(found, findings=problems))
        raise SystemExit(Exit.UNUSABLE)
    outcome = _honest(run(loaded.topology, select=select), loaded, refused)
    if only and not outcome.ran and not outcome.findings:
        raise click.UsageError(f"nothing was checked: {', '.join(only)} is off; turn it on under `rules` in the files")
    if update_baseline and baseline_file is not None:
        _update(baseline_file, outcome, environment, earlier)
        return
    if baseline is not None and baseline_file is not None:
        warn_of_old_entries(baseline_file, baseline, [environment])
    judged = _judged(found, outcome, baseline)
    if not diff:
        report(outputs, judged)
    raise SystemExit(exit_code(failing=bool(judged.failing), unchecked=False))


def _refuse_contradictions(baseline_file: Path | None, *, update_baseline: bool, diff: bool) -> Baseline | None:
    """Ends the command if options contradict each other. The baseline that will be updated, if there is one."""
    if update_baseline and baseline_file is None:
        raise click.UsageError("--update-baseline needs --baseline FILE")
    if update_baseline and diff:
        raise click.UsageError("--diff writes nothing, so it cannot be combined with --update-baseline")
    if update_baseline or diff:
        option = "--diff" if diff else "--update-baseline"
        refuse_without_effect(("formats",), f"does nothing with {option}, which reports no findings; leave it out")
    if update_baseline and baseline_file is not None:
        return _replaceable(baseline_file)
    return None


def _replaceable(file: Path) -> Baseline | None:
    """The earlier baseline. Ends the command unless the file can be written and holds nothing, or a baseline."""
    problem = why_not_writable(file)
    if problem:
        raise click.BadParameter(problem, param_hint="--baseline")
    if not file.is_file() or not file.stat().st_size:
        return None
    try:
        return read_baseline(file)
    except BadBaseline as error:
        raise click.UsageError(f"{error}; nothing was written") from error


def _uncounted_left_out(baseline: Baseline | None, environment: str | None) -> Callable[[Outcome], Sequence[Finding]]:
    """The findings to fix. Those in the baseline do not count, so --fix leaves them, too."""

    def wanted(outcome: Outcome) -> Sequence[Finding]:
        if baseline is None:
            return outcome.findings
        return baseline.compare(outcome.findings, outcome.covered, environment).new

    return wanted


def _update(file: Path, outcome: Outcome, environment: str | None, earlier: Baseline | None) -> None:
    try:
        count, left_out = write_baseline(file, outcome.findings, environment, earlier)
    except OSError as error:
        raise click.UsageError(f"{file}: {why(error)}") from error
    where = f" in environment {environment}" if environment is not None else ""
    click.echo(f"{file}: wrote a baseline of {counted(count, 'finding')}{where}", err=True)
    if left_out:
        click.echo(f"left out {counted(left_out, 'finding')}: a baseline cannot lift limits (KT016)", err=True)


def _honest(outcome: Outcome, loaded: Loaded, refused: list[Refused]) -> Outcome:
    """Without the edits that --fix would not make, so no report counts or offers them."""
    if not any(finding.edits for finding in outcome.findings):
        return outcome
    from kafka_topology.fixing.vain import without_vain_edits

    texts = {file.name: file.text for file in loaded.files}
    return replace(outcome, findings=without_vain_edits(outcome.findings, texts, refused))


def _judged(found: Run, outcome: Outcome, baseline: Baseline | None) -> Run:
    judged = replace(
        found, findings=outcome.findings, suppressed=outcome.suppressed, rules=outcome.rules, ran=outcome.ran
    )
    if baseline is None:
        return judged
    compared = baseline.compare(outcome.findings, outcome.covered, found.environment)
    return replace(judged, findings=compared.new, baselined=compared.known, stale=compared.stale)
