"""`kafka-topology review --live` of a deleted topic, whose size only the cluster knows, and of a shorter retention."""

from __future__ import annotations

import json
import re
import subprocess

from ..parts import Operation
from ..traffic import READ

_SIZE = re.compile(r"every record of t\.records is deleted, about \S+ \S+ \(live\)")


class ReviewLive(Operation):
    by = "command"
    usual = 3.0

    def prepare(self, bench):
        folder = bench.folder / "reviewed"
        folder.mkdir(exist_ok=True)
        document = bench.declared.document()
        document["topics"]["t.records"]["deletion"] = "allowed"
        (folder / "topology.yaml").write_text(json.dumps(document))
        if not (folder / ".git").exists():
            _git(folder, "init", "--quiet", ".")
        _git(folder, "add", "topology.yaml")
        _git(folder, "commit", "--quiet", "--allow-empty", "--message", "applied")
        del document["topics"]["t.records"]
        document["topics"][READ]["config"]["retention.ms"] = 3_600_000
        (folder / "topology.yaml").write_text(json.dumps(document))
        (folder / "review.json").unlink(missing_ok=True)

    def start(self, bench):
        arguments = ("topology.yaml", "--base", "HEAD", "--live", "--client-config", str(bench.client_config))
        formats = ("--no-stack", "--format", "json=review.json,text")
        return bench.command("review", *arguments, *formats, folder=bench.folder / "reviewed")

    def judge(self, bench, done):
        if done.killed:
            return []
        file = bench.folder / "reviewed" / "review.json"
        if done.code not in (0, 1, 3) or not file.exists():
            return [f"review ended with {done.code}: {done.text[-1500:]}"]
        return judged(json.loads(file.read_text()), done.code)


def judged(report, code):
    """Of a report: what the cluster knows, or what could not be checked."""
    text = "; ".join(effect["text"] for change in report["changes"] for effect in change["effects"])
    unknown = report["couldNotCheck"]
    if code == 0 and unknown:
        return [f"review ended with 0, and could not check {unknown}"]
    if code == 3 and not unknown:
        return ["review ended with 3, and names nothing that it could not check"]
    if not unknown and not _SIZE.search(text):  # readers may leave their group while a fault lasts
        return [f"review ended with {code} without the live size: {text}"]
    return []


def _git(folder, *arguments):
    who = ("-c", "user.name=torture", "-c", "user.email=torture@example.com")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)
