"""Writes what is made of the rules.

- docs/rules: a page for each built-in rule, and the index
- the rules of each fact in docs/requirements.md
- rules.json of audit and preflight: a validation knows their rules without importing their code

python tools/rule_docs.py            write them
python tools/rule_docs.py --check    end with 1 if any is out of date
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from kafka_topology.audit import rules as audit
from kafka_topology.preflight import rules as preflight
from kafka_topology.report.rule_page import category, rule_page
from kafka_topology.validators import Rule, builtin_rules, retired_ids
from kafka_topology.validators.engine.recorded import FILE, recorded

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "rules"
NOTE = "<!-- Written by tools/rule_docs.py from validators/rules; do not edit. -->"
ELSEWHERE = {name: NOTE.replace("validators/rules", f"src/kafka_topology/{name}") for name in ("audit", "preflight")}
INDEX = "README.md"
FACTS = FOLDER.parent / "requirements.md"

HEAD = f"""\
# The rules

{NOTE}

`kafka-topology rules` lists them, and `kafka-topology explain KT101` prints a page. To set severity and options,
suppress a rule or write your own, see [rules and findings](../validation.md). [`kafka-topology audit`](../audit.md)
and [`kafka-topology preflight`](../preflight.md) find those of the last two sections on the live cluster. A rule whose
page says so also judges the resources of [Pulumi programs](../provider.md#rules-for-programs) in Python
and other languages.
"""


def all_rules() -> tuple[Rule, ...]:
    return (*builtin_rules(), *audit.rules_of_checks(), *preflight.rules_of_checks())


def records() -> dict[Path, str]:
    """The files of rules about a live cluster, with their texts."""
    rooms = {"audit": audit, "preflight": preflight}
    return {
        ROOT / "src" / "kafka_topology" / name / FILE: recorded(room.rules_of_checks()) for name, room in rooms.items()
    }


def pages(rules: Iterable[Rule]) -> dict[str, str]:
    """Every file by its name."""
    rules = tuple(rules)
    written = {f"{rule.id}.md": f"{ELSEWHERE.get(rule.found_by, NOTE)}\n\n{rule_page(rule)}" for rule in rules}
    return written | {INDEX: index(rules)}


def index(rules: Iterable[Rule]) -> str:
    rules = tuple(rules)
    lines = [HEAD]
    for name, group in groupby(rules, category):
        lines += [f"## {name.capitalize()}", "", "| id | severity | name | what it finds |", "|---|---|---|---|"]
        for rule in group:
            severity = rule.severity.value if rule.enabled else f"{rule.severity.value}, off"
            summary = rule.summary.replace("|", r"\|")
            lines.append(f"| [{rule.id}]({rule.id}.md) | {severity} | {rule.name} | {summary} |")
        lines.append("")
    lines += _retired(rules)
    return "\n".join(lines).rstrip() + "\n"


def _retired(rules: Iterable[Rule]) -> list[str]:
    lines = ["## Retired ids", "", "Suppressions, `--rule` and `--skip` with one of these mean the rule beside it.", ""]
    lines += ["| id | is now a part of |", "|---|---|"]
    return [*lines, *(f"| {old} | [{new}]({new}.md) |" for old, new in sorted(retired_ids(rules).items()))]


def with_rules(page: str, rules: Iterable[Rule]) -> str:
    """The table of facts, with the rules that judge each in its last column."""
    rules = tuple(rules)

    def row(match: re.Match[str]) -> str:
        judging = sorted(rule.id for rule in rules if match["fact"] in rule.requirements)
        return f"{match['start']} {' '.join(f'[{id_}](rules/{id_}.md)' for id_ in judging)} |"

    return re.sub(r"^(?P<start>\| (?P<fact>R[0-9]+) \|.*\|)[^|]*\|$", row, page, flags=re.MULTILINE)


def differences(wanted: dict[str, str], folder: Path) -> list[str]:
    found = {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.md")} if folder.is_dir() else {}
    return sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))


def write(wanted: dict[str, str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in differences(wanted, folder):
        if name in wanted:
            (folder / name).write_text(wanted[name], encoding="utf-8")
        else:
            (folder / name).unlink()


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes what is made of the rules.")
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 if a file is out of date")
    check = parser.parse_args().check
    wanted = pages(all_rules())
    stale = differences(wanted, FOLDER)
    page = FACTS.read_text(encoding="utf-8")
    facts = with_rules(page, all_rules())
    unlike = {
        file: text for file, text in records().items() if not file.is_file() or file.read_text(encoding="utf-8") != text
    }
    if not check:
        write(wanted, FOLDER)
        FACTS.write_text(facts, encoding="utf-8")
        for file, text in unlike.items():
            file.write_text(text, encoding="utf-8")
    elif stale or facts != page or unlike:
        names = [*(f"docs/rules/{name}" for name in stale), *(["docs/requirements.md"] if facts != page else [])]
        names += [str(file.relative_to(ROOT)) for file in unlike]
        sys.stderr.write(f"out of date: {', '.join(names)}; run `make generate`\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
