"""`kafka-topology audit` of a topology that differs from the cluster in one setting, which it must report."""

from __future__ import annotations

import json

from ..parts import Operation

PLANTED = ("KTA104", "t.records")
# What is no difference whatever fails: topics, offsets, access, users and quotas are as declared.
FALSE = ("KTA10", "KTA301", "KTA303", "KTA307", "KTA308", "KTA309", "KTA31", "KTA40", "KTA41", "KTA42")


class Audit(Operation):
    by = "command"
    usual = 3.0

    def prepare(self, bench):
        document = bench.declared.document()
        document["topics"]["t.records"]["config"] = {"min.insync.replicas": 2, "retention.ms": 123456789}
        (bench.folder / "audited.yaml").write_text(json.dumps(document))
        (bench.folder / "audit.json").unlink(missing_ok=True)

    def start(self, bench):
        options = ("--client-config", str(bench.client_config), "--no-stack", "--format", "json=audit.json,text")
        return bench.command("audit", "audited.yaml", *options)

    def judge(self, bench, done):
        if done.killed:
            return []
        file = bench.folder / "audit.json"
        if done.code not in (1, 3) or (done.code == 1 and not file.exists()):
            return [f"audit ended with {done.code}: {done.text[-1500:]}"]
        return judged(json.loads(file.read_text()), done.code, drifted=bench.drifted) if file.exists() else []


def judged(report, code, *, drifted):
    """Of a report: the planted difference or what could not be checked, and no difference that is none."""
    found = {(one["rule"], one["resource"]) for one in report["findings"]}
    wrong = []
    if (PLANTED in found) != (code == 1) and not (code == 1 and report["couldNotCheck"]):
        wrong.append(f"audit ended with {code}, and reports {sorted(found)}")
    if code == 3 and not report["couldNotCheck"]:
        wrong.append("audit ended with 3, and names nothing that it could not check")
    false = sorted(one for one in found - {PLANTED} if one[0].startswith(FALSE))
    if false and not drifted:
        wrong.append(f"audit reports differences that are none: {false}")
    return wrong
