"""What every command has in common."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click import Argument, Context, Group, Option
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from kafka_topology.cli.exits import Command, Exit, exit_code
from kafka_topology.cli.main import COMMANDS, GROUPS, main
from kafka_topology.validators import installed_rules

SOURCES = Path(sys.modules["kafka_topology.cli.main"].__file__ or "").parent


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
    for word in ("INTEGER", "DIRECTORY", "FLOAT", "RANGE", "<x", "x>", "x<"):
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


def options() -> list[tuple[str, Option]]:
    return [(name, option) for name, command in ALL.items() for option in command.params if isinstance(option, Option)]


def test_every_option_says_whether_it_may_be_repeated() -> None:
    """An option takes one value, and is refused twice; is a switch, which means the same twice; or says "repeat"."""
    silent = [
        f"{name} {option.opts[-1]}"
        for name, option in options()
        if option.multiple and "…" not in (option.metavar or "") and "repeat" not in (option.help or "").lower()
    ]
    assert silent == []
    assert [f"{name} {option.opts[-1]}" for name, option in options() if option.count] == []


@pytest.mark.parametrize("name", sorted(name for name, command in ALL.items() if command.params))
def test_an_argument_too_many_is_refused(name: str) -> None:
    given = [each for each in ALL[name].params if isinstance(each, Argument)]
    if any(each.nargs == -1 for each in given):
        pytest.skip("it takes any number of arguments")
    result = CliRunner().invoke(main, [*name.split(), *(["x"] * (len(given) + 1))])
    assert result.exit_code == 2


# These write files, or print one thing that has one form.
WITHOUT_FORMATS = {"fmt", "init", "local tool", "report", "schema"}


def test_every_command_that_prints_results_writes_its_formats_to_files_too() -> None:
    taken = {name for name, option in options() if option.opts == ["--format"]}
    assert set(ALL) - taken == WITHOUT_FORMATS
    for name, option in options():
        if option.opts == ["--format"]:
            assert (option.metavar, option.multiple) == ("NAME[=FILE],…", True), name
            assert "Separate several with commas. " in (option.help or ""), name
            assert "Default: " in (option.help or ""), name


@pytest.mark.parametrize(
    ("arguments", "formats"),
    [
        (["graph", "t.yaml"], ["mermaid", "svg", "json"]),
        (["show", "t.yaml"], ["yaml", "json"]),
        (["show", "t.yaml", "--acls"], ["yaml", "json"]),
        (["clients", "t.yaml"], ["native", "properties", "json"]),
        (["rules", "--category", "durability"], ["text", "json"]),
        (["explain", "KT101"], ["text", "markdown"]),
        (["what-if", "t.yaml", "--lose-broker", "1"], ["text", "json"]),
        (["what-if", "t.yaml", "a", "--partitions", "12"], ["text", "json"]),
        (["diff", "t.yaml", "t.yaml"], ["text", "json", "page"]),
        (["validate", "t.yaml"], ["text", "json"]),
        (["local", "status", "--data", "kafka"], ["text", "json"]),
    ],
    ids=lambda given: " ".join(given[:3]),
)
def test_formats_go_to_their_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], formats: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.yaml").write_text(
        "version: 1\ncluster: {brokers: 3}\n"
        "topics: {a: {partitions: 6, replication: 3}}\nproducers: {p: {topics: [a]}}\n"
    )
    first, *others = formats
    alone = CliRunner().invoke(main, [*arguments, "--format", first])
    given = ",".join([*(f"{name}=out.{name}" for name in others), first])
    done = CliRunner().invoke(main, [*arguments, "--format", given])
    assert (done.exit_code, done.stdout) == (alone.exit_code, alone.stdout)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    for name in others:
        assert (tmp_path / f"out.{name}").read_text(), name
    both = CliRunner().invoke(main, [*arguments, "--format", f"{first}=x,{others[0]}=x"])
    assert (both.exit_code, "only one format can go to x" in both.stderr) == (2, True)
    twice = CliRunner().invoke(main, [*arguments, "--format", first, "--format", others[0]])
    assert (twice.exit_code, "only one format can go to stdout" in twice.stderr) == (2, True)
    wrong = CliRunner().invoke(main, [*arguments, "--format", f"{first}x"])
    assert (wrong.exit_code, f"did you mean `{first}`?" in wrong.stderr) == (2, True)


def test_every_command_is_in_one_group_of_the_help() -> None:
    modules = {file.stem.rstrip("_").replace("_", "-") for file in (SOURCES / "commands").glob("[a-z]*.py")}
    named = [name for commands in GROUPS.values() for name in commands]
    assert sorted(named) == sorted(modules)
    shown = CliRunner().invoke(main, ["--help"]).output
    for title, commands in GROUPS.items():
        part = shown.split(f"\n{title}:\n")[1].split("\n\n")[0]
        assert [line.split()[0] for line in part.splitlines() if not line.startswith("   ")] == list(commands)


def completed(*words: str) -> list[str]:
    """What a shell offers for the last word."""
    found = ShellComplete(main, {}, "kafka-topology", "_X").get_completions(list(words[:-1]), words[-1])
    return [item.value for item in found if item.type == "plain"]


def test_a_shell_completes_rules_environments_and_revisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "topology"
    folder.mkdir()
    (folder / "t.yaml").write_text("version: 1\nenvironments: {dev: {}, prod: {}}\n")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for arguments in (["init", "-q", "-b", "main"], ["commit", "-q", "--allow-empty", "-m", "x"], ["tag", "v1"]):
        subprocess.run([*git, *arguments], check=True, cwd=tmp_path)
    assert completed("validate", "topology", "--rule", "KT10") == completed("explain", "kt10")
    assert "KT101" in completed("validate", "topology", "--rule", "KT10")
    assert completed("explain", "min-isr") == [
        rule.name for rule in installed_rules().rules if rule.name[:7] == "min-isr"
    ]
    for command in ("validate", "show", "graph", "report", "review", "audit", "check", "what-if", "clients"):
        assert completed(command, "topology", "--env", "") == ["dev", "prod"], command
    assert completed("validate", "--env", "p") == ["prod"]  # of the folder `topology`
    assert completed("validate", "nowhere", "--env", "") == []
    assert completed("review", "--base", "") == ["HEAD", "main", "v1"]
    assert completed("diff", "m") == ["main:"]
    assert completed("graph", "--format", "s") == ["svg"]
    assert completed("rules", "--category", "dur") == ["durability"]


def test_rules_are_one_line_each_for_other_programs() -> None:
    done = CliRunner().invoke(main, ["rules"])
    lines = done.stdout.splitlines()
    assert len(lines) == len(installed_rules().rules)
    assert [line.split()[0] for line in lines] == [rule.id for rule in installed_rules().rules]
    assert all(line == line.rstrip() for line in lines)


PARTITIONS = """\
version: 1
cluster: {brokers: 3}
topics:
  a: {partitions: 6, replication: 3, ordering: per-key, key: {type: uuid, partitioner: murmur2}}
  b: {partitions: 12, replication: 3}
"""


def test_more_partitions_are_judged_by_the_declaration_without_a_cluster(tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    file.write_text(PARTITIONS)
    done = CliRunner().invoke(main, ["what-if", str(file), "a", "--partitions", "12"])
    assert done.exit_code == 0
    assert "a  6 → 12 partitions, by the declaration" in done.stdout
    assert "50% of the keys" in done.stdout
    assert "No cluster was asked." in done.stdout
    every = CliRunner().invoke(main, ["what-if", str(file), "--partitions", "9", "--format", "json"])
    assert every.exit_code == 2  # b would have to shrink
    told = {each["topic"]: each for each in json.loads(every.stdout)["topics"]}
    assert told["b"]["refused"] == "it has 12 partitions, and partitions never shrink"
    assert told["a"]["changes"][0]["risk"] == "breaking"
    unknown = CliRunner().invoke(main, ["what-if", str(file), "aa", "--partitions", "12"])
    assert (unknown.exit_code, "no topic is called aa" in unknown.stderr) == (2, True)
    asked = CliRunner().invoke(main, ["what-if", str(file), "a", "--partitions", "12", "--live"])
    assert (asked.exit_code, "no Kafka address" in asked.stderr) == (2, True)


def test_a_repeated_option_is_refused_and_not_the_last_one_used(tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    file.write_text("version: 1\ncluster: {brokers: 3}\nenvironments: {dev: {}, prod: {}}\n")
    environments = CliRunner().invoke(main, ["validate", str(file), "--env", "dev", "--env", "prod"])
    assert (environments.exit_code, environments.stdout) == (2, "")
    assert "give --env once; it takes one value, but was given 2 times" in environments.stderr


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
