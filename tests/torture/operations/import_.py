"""`kafka-topology import` of the whole cluster: the same as without a fault, or nothing and exit code 3."""

from __future__ import annotations

import shutil

import yaml

from ..parts import Operation


class Import(Operation):
    by = "command"
    usual = 3.0

    def prepare(self, bench):
        done = self._begin(bench, "expected").end(self.longest)
        assert done.code == 0, done.text
        bench.notes["expected"] = _written(bench.folder / "expected")
        shutil.rmtree(bench.folder / "imported", ignore_errors=True)

    def start(self, bench):
        return self._begin(bench, "imported")

    def judge(self, bench, done):
        if done.killed:
            return []
        written = _written(bench.folder / "imported")
        if done.code == 3:
            return [f"import could not read the cluster and wrote {sorted(written)}"] if written else []
        if done.code:
            return [f"import ended with {done.code}: {done.text[-1500:]}"]
        if written != bench.notes["expected"] and not bench.drifted:
            return [f"import wrote {written}, without the fault {bench.notes['expected']}"]
        return []

    @staticmethod
    def _begin(bench, folder):
        shutil.rmtree(bench.folder / folder, ignore_errors=True)
        return bench.command("import", "--client-config", str(bench.client_config), "--no-stack", "--output", folder)


def _written(folder):
    """The documents without their comments, which name the brokers that do not run."""
    return {str(path.relative_to(folder)): yaml.safe_load(path.read_text()) for path in sorted(folder.rglob("*.yaml"))}
