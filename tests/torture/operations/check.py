"""`kafka-topology check` of records with bad keys, which it must count or say that it could not."""

from __future__ import annotations

import json

from ..declaration import GOOD_RECORDS
from ..parts import Operation

# Quick to start, and small: the brokers run on the same machine.
JVM = ("--spark-config", "spark.driver.memory=768m", "--spark-config", "spark.ui.enabled=false")


class Check(Operation):
    by = "spark"
    usual = 15.0

    def prepare(self, bench):
        (bench.folder / "checked.yaml").write_text(json.dumps(bench.declared.document()))
        (bench.folder / "check.json").unlink(missing_ok=True)

    def start(self, bench):
        return self.begin(bench, "check.json")

    def begin(self, bench, report, *more):
        reached = ("--client-config", str(bench.client_config), "--no-stack")
        options = ("--topic", "t.records", "--format", f"json={report},text")
        return bench.command("check", "checked.yaml", *reached, *options, *JVM, *more)

    def judge(self, bench, done):
        if done.killed:
            return []
        return judged(report(bench, "check.json"), done, bench.bad, GOOD_RECORDS + bench.bad)


def report(bench, name):
    file = bench.folder / name
    return json.loads(file.read_text()) if file.exists() else None


def judged(report, done, bad, records):
    """Exit code 1 with all of them, or 3 with a report that claims no more than it read. `None` is no report."""
    if done.code == 3 and report is None:
        return []
    if done.code not in {1, 3} or report is None:
        return [f"check ended with {done.code}: {done.text[-1500:]}"]
    found = [
        (topic["records"], result["violations"])
        for topic in report["topics"]
        for result in topic["results"]
        if result["check"] == "key-type"
    ]
    everything, shown = [(records, bad)], f"check ended with {done.code} and found"
    if any(read > records or wrong > bad for read, wrong in found):
        return [f"{shown} {found}, more than the {everything} there are: {done.text[-1500:]}"]
    if done.code == 3 and report["complete"] and found == everything:
        return [f"{shown} everything, {found}: {done.text[-1500:]}"]
    if done.code == 1 and report["complete"] and found != everything:
        return [f"{shown} {found} instead of {everything}: {done.text[-1500:]}"]
    return []
