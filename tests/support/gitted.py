"""A real git repository for reviews: files of a base, then files of a change, and the commands run in it."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from kafka_topology.cli.main import main


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@dataclass
class Repository:
    """`topology/` at `main`; the work tree, on the branch `change`, is what tests edit."""

    root: Path

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            file = self.root / "topology" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def commit(self, message: str = "change") -> str:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-qm", message)
        return git(self.root, "rev-parse", "HEAD").strip()

    def edit(self, name: str, *pairs: tuple[str, str]) -> None:
        file = self.root / "topology" / name
        text = file.read_text()
        for old, new in pairs:
            assert old in text, (name, old)
            text = text.replace(old, new)
        file.write_text(text)

    def review(self, *arguments: str) -> Result:
        return run("review", "topology", "--base", "main", *arguments)

    def run(self, *arguments: str) -> Result:
        return run(*arguments)

    def told(self, *arguments: str) -> dict[str, Any]:
        return json.loads(self.review("--format", "json", *arguments).stdout)


def repository_of(root: Path, files: dict[str, str]) -> Repository:
    (root / "topology").mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    made = Repository(root)
    made.write(files)
    made.commit("base")
    git(root, "switch", "-qc", "change")
    return made
