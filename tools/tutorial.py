"""Follows docs/tutorial.md: makes its pull request and writes what the commands print there into the page.

    python tools/tutorial.py            write it
    python tools/tutorial.py --check    end with 1 if it is out of date

Each `diff` block of the page is a change that the reader makes. The console block below `<!-- in the pull request -->`
is a command that runs after the changes above it.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "tutorial.md"
_DIFF = r"^```diff\n(?P<diff>.*?)^```$"
_COMMAND = r"^<!-- in the pull request -->\n```console\n\$ (?P<command>[^\n]+)\n.*?^```$"
_STEP = re.compile(f"{_DIFF}|{_COMMAND}", re.DOTALL | re.MULTILINE)
# The same commit, with the same id, each time.
_COMMITTER = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (
    ("NAME", "tutorial"), ("EMAIL", "tutorial@example.org"), ("DATE", "2026-01-01T00:00:00Z"),
)}  # fmt: skip


class PullRequest:
    """A repository with `topology/` on main, and a branch to change it on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT / "topology", folder / "topology")
        self._git("init", "--quiet", "--initial-branch", "main")
        self._git("add", "--all")
        self._git("commit", "--quiet", "--message", "topology")
        self._git("switch", "--quiet", "--create", "fraud")

    def change(self, diff: str) -> None:
        self._git("apply", "-", given=diff)

    def run(self, command: str) -> str:
        """What a kafka-topology command prints, whatever its exit code."""
        _, *arguments = shlex.split(command)
        program = Path(sys.executable).with_name("kafka-topology")
        done = subprocess.run(
            [program, *arguments],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.stdout

    def _git(self, *arguments: str, given: str | None = None) -> None:
        environment = {**os.environ, **_COMMITTER, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        subprocess.run(["git", *arguments], cwd=self.folder, env=environment, input=given, text=True, check=True)


def first_change() -> str:
    """The diff that opens the pull request."""
    found = re.search(_DIFF, PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    if found is None:
        raise ValueError(f"{PAGE} has no diff block")
    return found["diff"]


def followed(page: str) -> str:
    """The page with the output that its commands give today."""
    with tempfile.TemporaryDirectory() as folder:
        request = PullRequest(Path(folder))

        def step(match: re.Match[str]) -> str:
            if match["diff"] is not None:
                request.change(match["diff"])
                return match[0]
            command = match["command"]
            return f"<!-- in the pull request -->\n```console\n$ {command}\n{request.run(command)}```"

        return _STEP.sub(step, page)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Write the output in docs/tutorial.md.")
    parser.add_argument("--check", action="store_true", help="change nothing; end with 1 if it is out of date")
    check = parser.parse_args(arguments).check
    text = PAGE.read_text(encoding="utf-8")
    wanted = followed(text)
    if text == wanted:
        return 0
    if check:
        print("docs/tutorial.md: out of date; run python tools/tutorial.py", file=sys.stderr)
        return 1
    PAGE.write_text(wanted, encoding="utf-8")
    print("docs/tutorial.md: written")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
