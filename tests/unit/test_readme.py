"""The README and the docs show what the commands print, line by line."""

from __future__ import annotations

import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from kafka_topology.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "docs" / "rules" / "README.md"]
# Commands that need files only. With one of the options they ask a cluster or read what came from one, so only their
# words are checked.
OFFLINE = {"validate", "show", "fmt", "rules", "explain", "clients", "graph", "diff", "what-if", "report"}
NEEDS_A_CLUSTER = {"--bootstrap", "--client-config", "--live", "--audit"}
# Rich writes as on a terminal of 80 columns; bold and dim go as soon as it is read.
TERMINAL = {"COLUMNS": "80", "TERM": "xterm", "TTY_COMPATIBLE": "1", "NO_COLOR": "1"}
LEFT_OUT = "…"


@dataclass(frozen=True)
class Shown:
    """A command of a page, and the lines that the page shows below it."""

    page: str
    command: str
    output: tuple[str, ...]
    yaml: str  # the example that stands before it on the page

    @property
    def arguments(self) -> list[str]:
        words = shlex.split(self.command, comments=True)[1:]
        return words[: words.index(">")] if ">" in words else words

    @property
    def is_offline(self) -> bool:
        return self.arguments[0] in OFFLINE and not NEEDS_A_CLUSTER & set(self.arguments)


def shown_on(page: Path) -> list[Shown]:
    found: list[Shown] = []
    yaml = ""
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE):
        if language == "yaml":
            yaml = block
        if language != "console":
            continue
        assert block.startswith("$ "), f"{page.name}: a console block begins with a command"
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *output = part.splitlines()
            if command.startswith("kafka-topology "):
                found.append(Shown(page.name, command, tuple(output), yaml))
    return found


SHOWN = [shown for page in PAGES for shown in shown_on(page)]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what the commands read, where they may also write."""
    for folder in ("topology", "examples"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(arguments: list[str]) -> tuple[Result, list[str]]:
    result = CliRunner().invoke(main, arguments, env=TERMINAL)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result, re.sub(r"\x1b\[[0-9;]*m", "", result.output).splitlines()


def matches(output: list[str], shown: tuple[str, ...]) -> bool:
    """Whether the lines are those shown; a line `…` stands for any number of others."""
    pattern = "".join("(?:.*\n)*?" if line.strip() == LEFT_OUT else re.escape(f"{line}\n") for line in shown)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in output)) is not None


def test_the_first_example_gives_the_output_that_is_shown(repository: Path) -> None:
    first = SHOWN[0]
    assert (first.page, first.command) == ("README.md", "kafka-topology validate topology.yaml")
    (repository / "topology.yaml").write_text(first.yaml)
    result, lines = printed(first.arguments)
    assert lines == list(first.output)
    assert result.exit_code == 1
    assert lines[0] == "topology.yaml:8:35: error KT101"
    # The mark stands below the value, which begins in the column that the first line names.
    line, mark = lines[3:5]
    assert line.index("3}") == mark.index("^") == len("     8 | ") + 35 - 1


@pytest.mark.parametrize("shown", [s for s in SHOWN if s.is_offline], ids=lambda s: f"{s.page}-{s.command[:60]}")
def test_a_command_on_files_prints_what_is_shown(shown: Shown, repository: Path) -> None:
    if "topology.yaml" in shown.arguments:
        (repository / "topology.yaml").write_text(shown.yaml)
    result, lines = printed(shown.arguments)
    assert result.exit_code in (0, 1), result.output
    if shown.output:
        assert matches(lines, shown.output), "\n".join(lines)


@pytest.mark.parametrize("shown", SHOWN, ids=lambda s: f"{s.page}-{s.command[:60]}")
def test_a_command_that_is_shown_has_options_that_exist(shown: Shown) -> None:
    command: click.Command = main
    words = list(shown.arguments)
    while isinstance(command, click.Group):
        inner = command.get_command(click.Context(command), words.pop(0))
        assert inner is not None, shown.command
        command = inner
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    assert {word.split("=")[0] for word in words if word.startswith("--")} <= known


def test_pages_show_commands() -> None:
    assert len([shown for shown in SHOWN if shown.is_offline]) >= 9
    assert {"README.md", "audit.md", "checks.md", "import.md", "local.md", "report.md"} <= {s.page for s in SHOWN}


@pytest.mark.parametrize(
    ("shown", "same"),
    [
        (("a", "b", "c"), True),
        (("a", "…", "c"), True),
        (("a", "…"), True),
        (("…",), True),
        (("a", "b", "…", "c"), True),
        (("a", "c"), False),
        (("a", "b"), False),
        (("a", "b ", "c"), False),
        (("a", "…", "d"), False),
    ],
)
def test_only_a_line_of_three_dots_stands_for_others(shown: tuple[str, ...], same: bool) -> None:
    assert matches(["a", "b", "c"], shown) is same
