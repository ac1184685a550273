"""What every format says about how much was judged and what is tolerated, in the same words."""

from __future__ import annotations

from kafka_topology.spark_checks.results.report import CheckResult, Report
from kafka_topology.topology.model.words import agreeing, counted


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
    if report.missed:
        said.append(f"records of {counted(len(report.missed), 'topic')} were deleted before they were checked")
    unable = [result for result in report.having("could-not-check") if result.unable]
    if unable:
        said.append(f"{counted(len(unable), 'check')} could not be made")
    if short := len(report.having("could-not-check")) - len(unable):
        said.append(f"{counted(short, 'check')} judged too few records")
    if tolerated:
        said.append(f"{counted(tolerated, 'violation')} tolerated")
    return said


def none_violated(report: Report) -> list[str]:
    """How many topics have no violation; nothing if no record of any topic was read.

    Where results are bounded, none was seen, which is not the same.
    """
    checked = len(report.topics) - len(report.empty)
    if report.topics and not checked:
        return []
    results = [result for topic in report.topics for result in topic.results if result.violations is not None]
    bounded = sum(result.status == "bounded" for result in results)
    where = counted(checked, "topic")
    if not bounded:
        return [f"no violations in {where}"]
    verb = agreeing(bounded, "is", "are")
    return [f"no violations seen in {where}, and {bounded:,} of {counted(len(results), 'result')} {verb} bounded"]


def rows(report: Report) -> list[str]:
    """Where the violations are as data; nothing if that was not asked for."""
    written = report.written
    if written is None:
        return []
    if written.problem is not None:
        return [f"the violations in {written.path} are not complete: {written.problem}"]
    if not report.violation_count:
        return [f"no violations, so nothing was written to {written.path}"]
    where = f"{written.path} ({written.format}), run id {written.run_id}"
    return [f"violations as data: {counted(written.rows, 'row')} in {where}"]


def unwritten(report: Report) -> tuple[str, ...]:
    """What is missing of the report as a whole, not of a topic."""
    said = ["the check was interrupted"] if not report.complete else []
    if report.written is not None and report.written.problem is not None:
        said += rows(report)
    return tuple(said)


def empty(report: Report) -> list[str]:
    return [f"no record was read of {counted(len(report.empty), 'topic')}"] if report.empty else []
