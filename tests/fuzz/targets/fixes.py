"""No rule crashes. `--fix` never makes more findings, and what it writes loads."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given

from fuzz.texts import documents, texts
from kafka_topology.fixing.fixes import find_fixes
from kafka_topology.topology import load
from kafka_topology.validators import run

_FOLDER = tempfile.TemporaryDirectory()
FILE = Path(_FOLDER.name) / "topology.yaml"
WEIGHT = 2.0


def _fixes_make_nothing_worse(text: str) -> None:
    FILE.write_text(text, encoding="utf-8", newline="")
    loaded = load(FILE)
    if loaded.topology is None:
        return
    before = _findings(loaded.topology)
    fixes = find_fixes(FILE, None, lambda _: True, lambda outcome: outcome.findings)
    for path in fixes.changed:
        path.write_text(fixes.after[path], encoding="utf-8", newline="")
    again = load(FILE)
    assert again.topology is not None, again.problems
    after = _findings(again.topology)
    assert not after - before, after - before
    assert sum(after.values()) <= sum(before.values()) - (1 if fixes.fixed else 0)


def _findings(topology: Any) -> Counter[tuple[str, str]]:
    findings = run(topology).findings
    assert not [finding.message for finding in findings if finding.rule_failed]
    return Counter((finding.id, finding.resource) for finding in findings)


@given(document=documents())
def fuzz_documents(document: Any) -> None:
    _fixes_make_nothing_worse(yaml.safe_dump(document, sort_keys=False))


@given(text=texts().filter(lambda text: "\ud800" not in text))
def fuzz_files(text: str) -> None:
    _fixes_make_nothing_worse(text)
