"""What every format says about how much was judged and what is tolerated, in the same words."""

from __future__ import annotations

from kafka_topology.spark_checks.results.report import CheckResult, Report
from kafka_topology.topology.model.words import counted


def share(of: float) -> str:
    """`0.1 %`, with up to six decimals."""
    return f"{of * 100:.6f}".rstrip("0").rstrip(".") + " %"


def limits(result: CheckResult) -> list[str]:
    """What the declared limits make of the result; nothing where they change nothing."""
    said = []
    if result.tolerated:
        said.append(f"tolerated: at most {share(result.max_violations)}")
    if result.too_few_judged:
        said.append(f"could not check: at least {share(result.min_judged)} must be judged")
    return said


def verdict(report: Report, found: str = "") -> list[str]:
    """Violations first: they are certain. Nothing where all is well."""
    violated = sum(result.violations or 0 for result in report.having("violated"))
    tolerated = sum(result.violations or 0 for result in report.having("tolerated"))
    said = [counted(violated, "violation") + found] if violated else []
    if report.hanging:
        said.append(counted(report.hanging, "hanging transaction") + found)
    if report.unreadable:
        said.append(f"{len(report.unreadable):,} of {counted(len(report.topics), 'topic')} could not be checked")
    if report.hidden:
        said.append(f"open transactions hide the end of {counted(len(report.hidden), 'topic')}")
    if short := report.having("could-not-check"):
        said.append(f"{counted(len(short), 'check')} judged too few records")
    if tolerated:
        said.append(f"{counted(tolerated, 'violation')} tolerated")
    return said


def none_violated(report: Report) -> list[str]:
    """How many topics have no violation; nothing if no record of any topic was read."""
    checked = len(report.topics) - len(report.empty)
    return [f"no violations in {counted(checked, 'topic')}"] if checked or not report.topics else []


def empty(report: Report) -> list[str]:
    return [f"no record was read of {counted(len(report.empty), 'topic')}"] if report.empty else []
