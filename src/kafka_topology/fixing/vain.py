"""Edits that `--fix` would not make, so no report offers them. Small: every validation imports it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kafka_topology.fixing.edits import is_within, shared_spans
from kafka_topology.report.findings.fingerprints import fingerprint

if TYPE_CHECKING:
    from kafka_topology.fixing.fixes import Refused
    from kafka_topology.topology import Finding


def without_vain_edits(
    findings: Sequence[Finding], texts: Mapping[str, str], refused: Sequence[Refused] = ()
) -> tuple[Finding, ...]:
    """The findings, without the edits that were refused or that would change a value shared through an anchor.

    `texts` are the files by the names in locations.
    """
    vain = {fingerprint(each.finding) for each in refused}
    edited = {edit.location.file for finding in findings for edit in finding.edits}
    shared = {name: shared_spans(texts[name]) for name in edited & texts.keys()}
    return tuple(
        replace(finding, edits=())
        if finding.edits
        and (
            fingerprint(finding) in vain
            or any(is_within(edit, shared.get(edit.location.file, ())) for edit in finding.edits)
        )
        else finding
        for finding in findings
    )
