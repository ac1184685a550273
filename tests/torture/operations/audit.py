"""`kafka-topology audit` of a topology that differs from the cluster in one setting, which it must report."""

from __future__ import annotations

import json

from ..parts import Operation

DRIFT = "123456789"


class Audit(Operation):
    by = "command"
    usual = 3.0

    def prepare(self, bench):
        document = bench.declared.document()
        document["topics"]["t.records"]["config"] = {"min.insync.replicas": 2, "retention.ms": int(DRIFT)}
        (bench.folder / "audited.yaml").write_text(json.dumps(document))

    def start(self, bench):
        options = ("--client-config", str(bench.client_config), "--no-stack", "--format", "json")
        return bench.command("audit", "audited.yaml", *options)

    def judge(self, bench, done):
        if done.killed or done.code == 3:
            return []
        if done.code != 1 or DRIFT not in done.text:
            return [f"audit ended with {done.code} without the planted difference: {done.text[-1500:]}"]
        return []
