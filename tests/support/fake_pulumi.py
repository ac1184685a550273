"""A `pulumi` on PATH that answers from memory, for what does not depend on the real one: which stack wins, and when."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

_SCRIPT = """\
#!{python}
import json, os, sys
from pathlib import Path

stacks = json.loads(Path({answers!r}).read_text())
with Path({calls!r}).open("a") as calls:
    calls.write(json.dumps([sys.argv[1:], os.getcwd()]) + "\\n")
arguments = [each for each in sys.argv[1:] if each not in ("--non-interactive", "--color", "never")]
current = stacks.get("selected")
if arguments == ["stack", "--show-name"]:
    if current is None:
        sys.exit("error: no stack selected")
    print(current)
elif arguments == ["stack", "ls", "--json"]:
    print(json.dumps([{{"name": name, "current": name == current}} for name in stacks["config"]]))
elif arguments[:3] == ["config", "--json", "--stack"]:
    config = stacks["config"].get(arguments[3])
    if config is None:
        sys.exit("error: no stack named that")
    answer = {{}}
    for key, value in config.items():
        secret = key in stacks["secret"]
        answer[key] = {{"secret": secret}}
        if not secret or "--show-secrets" in arguments:
            answer[key]["value"] = value
    print(json.dumps(answer))
else:
    sys.exit(f"error: unexpected {{arguments}}")
"""


class FakePulumi:
    """`select` and `configure` set what it answers; `calls` has the arguments and the folder of each call."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder.mkdir()
        self._answers = folder / "answers.json"
        self._calls = folder / "calls"
        self._stacks: dict[str, object] = {"selected": None, "config": {}, "secret": []}
        self._save()
        script = folder / "pulumi"
        script.write_text(
            _SCRIPT.format(python=sys.executable, answers=str(self._answers), calls=str(self._calls)), encoding="utf-8"
        )
        script.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    @property
    def calls(self) -> list[tuple[list[str], str]]:
        if not self._calls.exists():
            return []
        return [tuple(json.loads(line)) for line in self._calls.read_text().splitlines()]

    def configure(self, stack: str, secret: tuple[str, ...] = (), **values: str) -> None:
        """Keys of our namespace, without it."""
        config = self._stacks["config"]
        assert isinstance(config, dict)
        config[stack] = {f"kafka-topology:{key}": value for key, value in values.items()}
        self._stacks["secret"] = [f"kafka-topology:{key}" for key in secret]
        self._save()

    def select(self, stack: str | None) -> None:
        self._stacks["selected"] = stack
        self._save()

    def _save(self) -> None:
        self._answers.write_text(json.dumps(self._stacks), encoding="utf-8")
