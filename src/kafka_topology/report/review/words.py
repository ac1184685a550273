"""Words that every format of a review uses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from kafka_topology.review.accepting import acceptable, accepted_words
from kafka_topology.review.changes import Risk
from kafka_topology.review.grouping.rows import Row
from kafka_topology.review.grouping.shared import InEnvironments, SharedFinding
from kafka_topology.review.result import Review, at_one_place
from kafka_topology.topology import Severity
from kafka_topology.topology.model.words import agreeing, counted, listed, named

WORST_FIRST = tuple(sorted(Risk, key=lambda risk: -risk.rank))
NO_TEAM = "no team"
SEVERAL = "several teams"


def verdict(review: Review) -> str:
    """The first line of every format: what fails, or that nothing does."""
    if review.unreadable:
        return f"❌ {_reader(review)} cannot be read as a topology"
    failing, passing = listed(_failing(review), most=9), listed(_passing(review), most=9)
    if failing:
        return f"❌ {failing}" + (f"; also {passing}" if passing else "")
    if review.could_not_check:
        count = counted(len(review.could_not_check), "thing")
        return f"⚠️ could not check {count}" + (f"; otherwise {passing}" if passing else "")
    if any(review.causes(risk, accepted=False) for risk in (Risk.BREAKING, Risk.DESTRUCTIVE)) and review.is_compared:
        return f"⚠️ {passing}; --fail-on lets {agreeing(len(review.rows), 'it', 'them')} pass"
    return f"✅ {passing or 'no risk'}{_without(review)}"


def _without(review: Review) -> str:
    """What a good verdict says nothing about."""
    return f"; {_left_out(review)}" if review.left_out else ""


def _left_out(review: Review) -> str:
    names = review.left_out
    return f"{agreeing(len(names), 'environment', 'environments')} {named(names, most=9)} not reviewed"


def left_out_note(review: Review) -> str:
    """Which environments may change as well; empty if all are reviewed."""
    if not review.left_out:
        return ""
    names = review.left_out
    were = agreeing(len(names), "environment {} was", "environments {} were").format(named(names, most=9))
    options = " ".join(f"--env {name}" for name in names)
    return f"The {were} not reviewed, and the change may be different there; add {options}"


def _failing(review: Review) -> list[str]:
    risks = _risks(review, review.gate.stops)
    return [*_severities(review.failing_findings), *risks]


def _passing(review: Review) -> list[str]:
    risks = _risks(review, lambda risk: risk is not Risk.SAFE and not review.gate.stops(risk))
    accepted = sum(review.causes(risk, accepted=True) for risk in Risk)
    passing = [each for each in review.new_findings if each.accepted is None and not review.is_failing(each)]
    return [*risks, *_severities(passing), *([counted(accepted, "accepted change")] if accepted else [])]


def _severities(findings: Sequence[SharedFinding]) -> Iterator[str]:
    shown = at_one_place(findings)
    for severity in Severity:
        number = sum(each.finding.severity is severity for each in shown)
        if number:
            yield counted(number, severity.value, "advice" if severity is Severity.ADVICE else None)


def _risks(review: Review, counts: Callable[[Risk], bool]) -> Iterator[str]:
    for risk in WORST_FIRST:
        number = review.causes(risk, accepted=False)
        if number and counts(risk):
            needs = agreeing(number, "change needs care", "changes need care")
            yield f"{number:,} {needs}" if risk is Risk.CARE else counted(number, f"{risk} change")


def _reader(review: Review) -> str:
    return "the new version" if review.head == review.subject else review.head


def summary(review: Review) -> str:
    """One line: how many changes of each risk, since which version. A cause with many effects is one change."""
    if review.unreadable:
        return f"{_reader(review)} cannot be read as a topology"
    if review.base is None:
        return "reviewed alone, without an earlier version"
    counts = [f"{review.causes(risk)} {risk}" for risk in WORST_FIRST if review.causes(risk)]
    changes = f"{counted(len(review.rows), 'change')} ({', '.join(counts)})" if counts else "no changes"
    base = "" if not review.left_out or any(review.environments) else " without an environment"
    return f"{changes}{base} since {review.base}"


def notes_of(review: Review) -> tuple[str, ...]:
    """What the reader has to know about the review."""
    return tuple(filter(None, (*review.notes, left_out_note(review))))


def acceptance_line(row: Row, review: Review) -> str:
    """Until when and why a row is accepted, and where that is written; empty if it is not."""
    entry = review.accepting.of(row)
    if entry is None:
        return ""
    at = entry.location
    earlier = ", which the base has already" if review.accepting.is_earlier(entry) else ""
    return f"{accepted_words(entry)}, at {at.file}:{at.line}{earlier}"


def acceptance_yaml(rows: Sequence[Row]) -> Iterator[str]:
    """What to write into a file to accept the rows, without the reason and the day."""
    yield "accept:"
    for row in rows:
        yield f"  - change: {json.dumps(acceptable(row), ensure_ascii=False)}"
        yield "    reason: …"
        yield "    until: …  # the last day, such as 2026-12-31"


def where(held: InEnvironments | Row, review: Review) -> str:
    """The environments of a change, if not all have it."""
    if held.environments == review.environments or not held.environments:
        return ""
    return "in " + ", ".join(name or "the base" for name in held.environments)


def change_words(row: Row) -> str:
    """The change of a row in a few words."""
    change, reach = row.head.change, row.reach
    if row.cause is not None and row.cause.text:
        return row.cause.text
    if row.cause is not None and row.cause.kind == "kafka":
        return f"{counted(len({each.change.path for each in row.members}), 'inherited setting')} on {reach}"
    return f"{change.what} on {reach}" if reach else change.what


def follower_words(row: Row) -> Iterator[str]:
    """What follows from a row's head, one line each, with its risk if that is more than care."""
    # Another profile is no change itself: the head is one of those that follow.
    held = row.members if row.cause is not None and row.cause.kind == "choice" else row.followers
    for each in held:
        change = each.change
        is_named = change.title == row.head.change.title or change.kind == "access"
        risk = f"{change.risk}: " if change.risk.rank >= Risk.BREAKING.rank else ""
        yield f"{risk}{change.what}" if is_named else f"{risk}{change.title}: {change.what}"


def by_team(review: Review) -> Iterator[tuple[str, list[Row]]]:
    """Rows by team. Those of one resource stay together, the resource with the worst change first."""
    teams: dict[str, list[Row]] = {}
    for row in review.rows:
        several = SEVERAL if row.is_shared and len(row.teams) > 1 else NO_TEAM
        teams.setdefault(row.team or several, []).append(row)
    for team in sorted(teams, key=lambda name: (name != SEVERAL, name == NO_TEAM, name)):
        worst = {row.title: row.risk.rank for row in reversed(teams[team])}
        yield team, sorted(teams[team], key=lambda row: (-worst[row.title], row.title))


def approvers_line(review: Review) -> str:
    """`checkout (orders), billing (reads orders)`; empty if nobody has to approve anything."""
    return "; ".join(f"{owner}: {listed(why, most=3)}" for owner, why in review.approvers.items())
