"""How many findings each rule and each team has: what to look at first when there are thousands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from kafka_topology.topology import Finding, Severity
from kafka_topology.topology.model.words import counted

from .markup.html import Html, el, prose
from .subject import Subject

FEWEST = 5  # findings that need no totals
_SAID = 4  # the column of rules that a phone has no room for
RULE_COLUMN, TEAM_COLUMN = 1, 3  # of the table of findings


def totals(subject: Subject, table: str) -> Html | None:
    """Two small tables. Each of their rows filters the table of findings, which has the id `table`."""
    found = subject.run.findings
    if len(found) < FEWEST:
        return None
    return el("div", _by_rule(found, subject, table), _by_team(found, subject, table), class_="totals")


def _by_rule(found: Iterable[Finding], subject: Subject, table: str) -> Html:
    gathered: dict[str, list[Finding]] = {}
    for finding in found:
        gathered.setdefault(finding.id, []).append(finding)
    rules = {rule.id: rule for rule in subject.run.rules}
    order = sorted(gathered, key=lambda rule: (-_worst(gathered[rule]).rank, -len(gathered[rule]), rule))
    rows = []
    for rule in order:
        held, described = gathered[rule], rules.get(rule)
        severity = _worst(held).value
        resources = len({(finding.kind, finding.resource) for finding in held})
        rows.append(
            el(
                "tr",
                el("th", _filter(rule, table, RULE_COLUMN), scope="row"),
                el("td", severity, class_="severity", data_value=severity),
                el("td", f"{len(held):,}", class_="number"),
                el("td", f"{resources:,}", class_="number"),
                el("td", prose(described.summary) if described is not None else "", class_="said"),
            )
        )
    titles = ("Rule", "Severity", "Findings", "Resources", "What it finds")
    return _table(f"{counted(len(order), 'rule')} with findings", titles, rows, numbers=(2, 3))


def _by_team(found: Iterable[Finding], subject: Subject, table: str) -> Html:
    teams: dict[str, Counter[Severity]] = {}
    for finding in found:
        teams.setdefault(subject.team_of(finding), Counter())[finding.severity] += 1
    order = sorted(teams, key=lambda team: [-teams[team][severity] for severity in Severity] + [team])
    rows = [
        el(
            "tr",
            el("th", _filter(team, table, TEAM_COLUMN) if team else "no team", scope="row"),
            *(_count(teams[team][severity], severity) for severity in Severity),
            el("td", f"{teams[team].total():,}", class_="number"),
        )
        for team in order
    ]
    titles = ("Team", *(str(severity.value).capitalize() for severity in Severity), "Total")
    return _table("Findings of each team", titles, rows, numbers=(1, 2, 3, 4))


def _count(number: int, severity: Severity) -> Html:
    return el("td", f"{number:,}" if number else "", class_="number", data_value=severity.value if number else None)


def _filter(text: str, table: str, column: int) -> Html:
    """Leads to the table; the script also filters it."""
    return el("a", text, href=f"#{table}", data_filter=column)


def _worst(found: Iterable[Finding]) -> Severity:
    return max((finding.severity for finding in found), key=lambda severity: severity.rank)


def _table(title: str, titles: tuple[str, ...], rows: list[Html], numbers: tuple[int, ...]) -> Html:
    head = (
        el("th", said, scope="col", class_="number" if place in numbers else "said" if place == _SAID else None)
        for place, said in enumerate(titles)
    )
    drawn = el("table", el("caption", title, class_="hidden"), el("thead", el("tr", *head)), el("tbody", *rows))
    return el(
        "div",
        el("h3", title),
        el("div", drawn, class_="scroll short", tabindex="0", role="region", aria_label=title),
    )
