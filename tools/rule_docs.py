"""Writes docs/rules: a page for each built-in rule, and the index.

python tools/rule_docs.py            write them
python tools/rule_docs.py --check    end with 1 if any is out of date
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from kafka_topology.audit.rules import audit_rules
from kafka_topology.report.rule_page import category, rule_page
from kafka_topology.validators import Rule, builtin_rules

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "rules"
NOTE = "<!-- Written by tools/rule_docs.py from validators/rules; do not edit. -->"
AUDIT_NOTE = NOTE.replace("validators/rules", "src/kafka_topology/audit")
INDEX = "README.md"

HEAD = f"""\
# The rules

{NOTE}

`kafka-topology rules` lists them, and `kafka-topology explain KT101` prints a page. To set severity and options,
suppress a rule or write your own, see [rules and findings](../validation.md). [`kafka-topology audit`](../audit.md)
finds those of the last section on the live cluster. A rule whose page says so also judges the resources of
[Pulumi programs](../provider.md#rules-for-programs) in Python and other languages.
"""


def all_rules() -> tuple[Rule, ...]:
    return (*builtin_rules(), *audit_rules())


def pages(rules: Iterable[Rule]) -> dict[str, str]:
    """Every file by its name."""
    rules = tuple(rules)
    notes = {"audit": AUDIT_NOTE}
    written = {f"{rule.id}.md": f"{notes.get(rule.found_by, NOTE)}\n\n{rule_page(rule)}" for rule in rules}
    return written | {INDEX: index(rules)}


def index(rules: Iterable[Rule]) -> str:
    lines = [HEAD]
    for name, group in groupby(rules, category):
        lines += [f"## {name.capitalize()}", "", "| id | severity | name | what it finds |", "|---|---|---|---|"]
        for rule in group:
            severity = rule.severity.value if rule.enabled else f"{rule.severity.value}, off"
            summary = rule.summary.replace("|", r"\|")
            lines.append(f"| [{rule.id}]({rule.id}.md) | {severity} | {rule.name} | {summary} |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


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
    parser = argparse.ArgumentParser(description="Writes docs/rules.")
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 if a page is out of date")
    check = parser.parse_args().check
    wanted = pages(all_rules())
    stale = differences(wanted, FOLDER)
    if not check:
        write(wanted, FOLDER)
    elif stale:
        sys.stderr.write(f"out of date in docs/rules: {', '.join(stale)}; run `make generate`\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
