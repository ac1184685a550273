"""A distribution of somebody else, as pip would leave it: a module with a check, and the entry point that names it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kafka_topology.spark_checks.registry import installed_packs

CHECK = """\
from kafka_topology.spark_checks.conditions.record import HeaderMissing, RowTest, Tombstone
from kafka_topology.spark_checks.planning.check import About, Check, Explanation, RowTests, Verdict
from kafka_topology.topology.model.findings import Severity


class Deletions(Check):
    about = About(
        id="acme/deletions",
        order=55,
        summary="No record deletes a key.",
        why="The archive cannot delete.",
        needs="a key",
        violation="a tombstone",
        declared_at=("key",),
        fix="Send a status instead of a tombstone.",
        severity=Severity.WARNING,
        metrics={"deletions": "tombstones of the topic"},
        settings=("retention.ms",),
    )

    def tests(self, subject):
        return RowTests((RowTest("deletion", Tombstone()),)) if subject.is_keyed else None

    def verdict(self, subject, seen):
        kept = f"retention.ms is {subject.settings['retention.ms']}"
        return Verdict({"deletions": seen.counts["deletion"]}, notes=(kept,))

    def explain(self, subject, found):
        return Explanation("an archive job", f"send a status for {found.violations} of {found.records} records")


class Traced(Check):
    about = About(
        id="acme/traced",
        summary="Every record is traced.",
        why="Nobody finds what is not traced.",
        needs="nothing",
        violation="a record without the header",
    )

    broken = None

    def tests(self, subject):
        if self.broken == "exit":
            raise SystemExit(0)
        if self.broken == "verdict":
            return RowTests((RowTest("deletes", Tombstone()),))
        return RowTests((RowTest("not traced", HeaderMissing(("trace",))),))

    def verdict(self, subject, seen):
        return 42 if self.broken == "verdict" else Verdict()

    def explain(self, subject, found):
        return Explanation(None, "set the header trace")


def checks():
    return (Traced(), Deletions())
"""


@contextmanager
def installed_pack(folder: Path) -> Iterator[None]:
    (folder / "acme_checks.py").write_text(CHECK)
    about = folder / "acme_checks-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-checks\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[kafka_topology.checks]\nacme = acme_checks:checks\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        installed_packs.cache_clear()
        yield
    installed_packs.cache_clear()
