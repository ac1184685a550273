"""What every command has in common."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click import Context, Group, Option
from click.testing import CliRunner

from kafka_topology.cli.exits import Command, Exit, exit_code
from kafka_topology.cli.main import COMMANDS, main


def inner_commands() -> dict[str, Any]:
    """Every command that does something, `local start` too."""
    found = {}
    for name in COMMANDS:
        command = main.get_command(Context(main), name)
        if isinstance(command, Group):
            found |= {f"{name} {inner}": each for inner, each in command.commands.items()}
        else:
            found[name] = command
    return found


ALL = inner_commands()


@pytest.mark.parametrize("name", sorted({*COMMANDS, *ALL}))
def test_every_command_has_a_help_text_with_an_example(name: str) -> None:
    result = CliRunner().invoke(main, [*name.split(), "--help"])
    assert result.exit_code == 0
    examples = result.output.split("Example")[1]
    assert examples.startswith("s:") == (examples.count("kafka-topology ") > 1)
    # What click calls its types says less than a word of ours.
    for word in ("INTEGER", "DIRECTORY", "FLOAT", "RANGE"):
        assert word not in result.output


# A tool of Kafka ends with codes of its own.
@pytest.mark.parametrize("name", sorted(set(ALL) - {"local tool"}))
def test_every_command_lists_its_exit_codes(name: str) -> None:
    command = ALL[name]
    assert isinstance(command, Command)
    assert Exit.FINE in command.exits
    shown = " ".join(CliRunner().invoke(main, [*name.split(), "--help"]).output.split("Exit codes:")[1].split())
    for code, meaning in command.exits.items():
        assert f"{code.value} {meaning}" in shown


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_examples_fit_a_terminal(name: str) -> None:
    lines = CliRunner().invoke(main, [name, "--help"]).output.splitlines()
    start = next(place for place, line in enumerate(lines) if line.strip().startswith("Example"))
    assert [line for line in lines[start:] if len(line) > 80] == []


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_option_for_environments_is_worded_alike(name: str) -> None:
    command = main.get_command(Context(main), name)
    texts = [option.help for option in (command.params if command else ()) if "--env" in option.opts]
    assert texts in ([], ["Apply this environment."], ["Apply this environment; repeatable."])


def test_help_says_what_values_an_option_takes() -> None:
    shown = {name: " ".join(CliRunner().invoke(main, [name, "--help"]).output.split()) for name in COMMANDS}
    assert "above 0 and up to 1" in shown["check"]
    assert "TOPIC belongs to --partitions only" in shown["what-if"]
    assert "Only rules of this category: language, durability," in shown["rules"]
    for name in ("audit", "check", "validate"):
        assert "Default: text." in shown[name]


def options_with_one_value() -> list[tuple[str, str]]:
    """Each command, with `local start` and the like, and each of its options that takes one value."""
    commands = {name: main.get_command(Context(main), name) for name in COMMANDS}
    local = commands.pop("local")
    assert isinstance(local, Group)
    commands |= {f"local {name}": command for name, command in local.commands.items()}
    return [
        (name, option.opts[-1])
        for name, command in sorted(commands.items())
        for option in (command.params if command is not None else ())
        if isinstance(option, Option) and not option.multiple and not option.is_flag
    ]


@pytest.mark.parametrize(("command", "option"), options_with_one_value())
def test_an_option_with_one_value_is_given_once(command: str, option: str) -> None:
    result = CliRunner().invoke(main, [*command.split(), option, "1", f"{option}=2"])
    assert result.exit_code == 2
    assert f"give {option} once" in result.output


def test_a_repeated_option_is_refused_and_not_the_last_one_used(tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    file.write_text("version: 1\ncluster: {brokers: 3}\nenvironments: {dev: {}, prod: {}}\n")
    environments = CliRunner().invoke(main, ["validate", str(file), "--env", "dev", "--env", "prod"])
    assert (environments.exit_code, environments.stdout) == (2, "")
    brokers = CliRunner().invoke(main, ["what-if", str(file), "--lose-broker", "1", "--lose-broker", "2"])
    assert (brokers.exit_code, brokers.stdout) == (2, "")
    assert "give --lose-broker once; it takes one value, but was given 2 times" in brokers.stderr


@pytest.mark.parametrize("seconds", ["nan", "inf", "0", "-1"])
@pytest.mark.parametrize("command", ["audit topology", "check .", "import --output x", "review . --base main --live"])
def test_a_time_limit_is_a_number(command: str, seconds: str) -> None:
    result = CliRunner().invoke(main, [*command.split(), "--bootstrap", "127.0.0.1:1", "--timeout", seconds])
    assert (result.exit_code, "Invalid value for '--timeout'" in result.output) == (2, True)
    start = CliRunner().invoke(main, ["local", "start", "--timeout", seconds])
    assert (start.exit_code, "Invalid value for '--timeout'" in start.output) == (2, True)


@pytest.mark.parametrize(
    ("failing", "unchecked", "code"),
    [
        (False, False, Exit.FINE),
        (True, False, Exit.FINDINGS),
        (False, True, Exit.COULD_NOT_CHECK),
        (True, True, Exit.FINDINGS),
    ],
)
def test_what_could_not_be_checked_is_never_success(failing: bool, unchecked: bool, code: Exit) -> None:
    assert exit_code(failing=failing, unchecked=unchecked) is code


def test_an_unknown_command_is_wrong_usage() -> None:
    result = CliRunner().invoke(main, ["valdate"])
    assert result.exit_code == 2
    assert "did you mean `validate`?" in result.output


def test_a_fault_of_ours_is_no_finding_and_no_traceback(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("something broke")

    (tmp_path / "a.yaml").write_text("version: 1\n")
    monkeypatch.delenv("KAFKA_TOPOLOGY_DEBUG", raising=False)
    monkeypatch.setattr("kafka_topology.cli.commands.validate.load", fail)
    result = CliRunner().invoke(main, ["validate", str(tmp_path / "a.yaml")])
    assert result.exit_code == 3
    assert "RuntimeError: something broke" in result.output
    assert "Traceback" not in result.output


def test_start_up_imports_no_heavy_library() -> None:
    heavy = ("pulumi", "pyspark", "confluent_kafka", "rich", "yaml")
    code = f"import sys, kafka_topology.cli.main; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
