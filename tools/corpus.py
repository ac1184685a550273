"""Writes docs/corpus.md: topologies as teams write them, and what the rules say about each.

python tools/corpus.py            write it
python tools/corpus.py --check    end with 1 if it is out of date

Each file of tests/data/corpus begins with comments: a sentence that says what it is, then a line for each finding,
`# finds KT109 warning enrich`. `# noise KT520 advice heartbeats` names a finding that a reviewer would not make: it
should go away.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from kafka_topology.report.escaping import text
from kafka_topology.topology import Finding, load
from kafka_topology.validators import validate

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "data" / "corpus"
PAGE = ROOT / "docs" / "corpus.md"
_LINE = re.compile(r"# (finds|noise) (\S+) (error|warning|advice) (.+)")

HEAD = """\
# Topologies of practice

<!-- Written by tools/corpus.py from tests/data/corpus; do not edit. -->

See what the rules say about {count} topologies as teams write them: Kafka Streams, change data capture, Connect,
MirrorMaker, tiered storage, several sites, tenants, cloud services, and common mistakes. Each is a small file in
[tests/data/corpus](../tests/data/corpus). A test pins its findings, so a rule that becomes noisy or silent is noticed.
What is reported is what a reviewer should say. A finding marked as noise is not: the rule is too coarse for that case.

| topology | what it is | findings |
|---|---|---|
"""


Pin: TypeAlias = tuple[str, str, str]  # rule, severity and resource


@dataclass(frozen=True, slots=True)
class Case:
    """A file: what it is, and the findings it should have. Each is there as often as it is found."""

    file: Path
    title: str
    finds: Counter[Pin]
    noise: Counter[Pin]

    def findings(self) -> tuple[Finding, ...]:
        loaded = load(self.file)
        if loaded.topology is None:
            raise ValueError(f"{self.file.name} is no topology: {loaded.problems[0].message}")
        return validate(loaded.topology)


def pin(finding: Finding) -> Pin:
    return finding.id, finding.severity.value, finding.resource


def cases(folder: Path = FOLDER) -> Iterator[Case]:
    for file in sorted(folder.glob("*.yaml")):
        title, *lines = file.read_text(encoding="utf-8").splitlines()
        pins = [match.groups() for line in lines if (match := _LINE.fullmatch(line))]
        yield Case(
            file,
            title.removeprefix("# "),
            Counter((rule, severity, resource) for kind, rule, severity, resource in pins if kind == "finds"),
            Counter((rule, severity, resource) for kind, rule, severity, resource in pins if kind == "noise"),
        )


def page() -> str:
    rows = [_row(case) for case in cases()]
    return HEAD.format(count=len(rows)) + "".join(rows)


def _row(case: Case) -> str:
    found = "<br>".join(_shown(finding, case) for finding in case.findings()) or "none"
    return f"| [{case.file.stem}](../tests/data/corpus/{case.file.name}) | {case.title} | {found} |\n"


def _shown(finding: Finding, case: Case) -> str:
    noise = " *(noise)*" if pin(finding) in case.noise else ""
    return f"[{finding.id}](rules/{finding.id}.md) {finding.severity.value}: {text(finding.message)}{noise}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes docs/corpus.md.")
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 if it is out of date")
    wanted = page()
    is_stale = not PAGE.exists() or PAGE.read_text(encoding="utf-8") != wanted
    if parser.parse_args().check:
        if is_stale:
            sys.stderr.write("docs/corpus.md is out of date; run `make generate`\n")
        return int(is_stale)
    if is_stale:
        PAGE.write_text(wanted, encoding="utf-8")
        sys.stdout.write("docs/corpus.md: written\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
