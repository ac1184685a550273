"""docs/rules is what the rules say; the hooks run what they promise."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from modules import module_at

from kafka_topology.validators import builtin_rules

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return module_at(ROOT / "tools" / "rule_docs.py")


def test_the_pages_are_up_to_date(tool: ModuleType) -> None:
    assert tool.differences(tool.pages(tool.all_rules()), tool.FOLDER) == [], "run `make generate`"


def test_a_stale_page_is_noticed_and_removed(tool: ModuleType, tmp_path: Path) -> None:
    wanted = tool.pages(builtin_rules())
    tool.write(wanted, tmp_path)
    (tmp_path / "KT101.md").write_text("old")
    (tmp_path / "KT099.md").write_text("gone")
    assert tool.differences(wanted, tmp_path) == ["KT099.md", "KT101.md"]
    tool.write(wanted, tmp_path)
    assert tool.differences(wanted, tmp_path) == []


def test_every_page_has_its_sections_and_is_in_the_index(tool: ModuleType) -> None:
    pages = tool.pages(tool.all_rules())
    for rule in tool.all_rules():
        page = pages[f"{rule.id}.md"]
        last = ("What to do",) if rule.is_live else ("Example", "Use instead")
        for heading in ("What it does", "Why it is bad", *last):
            assert f"\n## {heading}\n" in page, rule.id
        assert ("\n## Options\n" in page) == bool(rule.options)
        assert f"[{rule.id}]({rule.id}.md)" in pages["README.md"]


HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())


def test_the_hooks_are_complete() -> None:
    assert [hook["id"] for hook in HOOKS] == ["kafka-topology-validate", "kafka-topology-fmt"]
    for hook in HOOKS:
        assert {"id", "name", "entry", "language", "files", "args", "pass_filenames"} <= hook.keys()


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_runs(hook: dict[str, object], tmp_path: Path) -> None:
    folder = tmp_path / "topology"
    folder.mkdir()
    (folder / "t.yaml").write_text((ROOT / "examples" / "simple-consistency" / "topology.yaml").read_text())
    program, *arguments = shlex.split(str(hook["entry"]))
    assert program == "kafka-topology"
    args = hook["args"]
    assert isinstance(args, list)
    command = [sys.executable, "-c", "from kafka_topology.cli.main import main; main()", *arguments, *args]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
