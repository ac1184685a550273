"""`kafka-topology init` writes a repository that is right from the first moment."""

from __future__ import annotations

import subprocess
import sys

import pytest
import yaml
from click.testing import CliRunner

from kafka_topology.cli.main import main


@pytest.fixture
def made(tmp_path):
    folder = tmp_path / "my topology"
    result = CliRunner().invoke(main, ["init", str(folder)])
    assert result.exit_code == 0, result.output
    return folder


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, list(arguments))
    return result.exit_code, result.output


@pytest.mark.parametrize("environment", [(), ("--env", "dev")])
def test_what_it_writes_has_nothing_to_mend(made, environment):
    code, output = run("validate", str(made / "topology"), *environment, "--fail-on", "advice")
    assert (code, "nothing to mend" in output) == (0, True), output
    assert run("fmt", "--check", str(made / "topology"))[0] == 0


def test_the_instructions_are_under_ten_lines_and_their_commands_exist(made):
    readme = (made / "README.md").read_text()
    steps = readme.split("```console\n")[1].split("```")[0].strip().splitlines()
    assert len(steps) < 10
    assert steps[-1] == "pulumi up"
    for step in steps:
        if step.startswith("kafka-topology"):
            _, command, *_ = step.split()
            assert run(command, "--help")[0] == 0


def test_every_file_it_writes_can_be_read(made):
    assert yaml.safe_load((made / "Pulumi.yaml").read_text())["name"] == "my-topology"
    workflow = yaml.safe_load((made / ".github" / "workflows" / "topology.yml").read_text())
    (job,) = workflow["jobs"].values()
    assert any("kafka_topology.action" in step.get("run", "") for step in job["steps"])
    hooks = yaml.safe_load((made / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    assert {hook["id"] for hook in hooks} == {"kafka-topology-validate", "kafka-topology-fmt"}
    subprocess.run([sys.executable, "-m", "py_compile", str(made / "program" / "__main__.py")], check=True)


def test_nothing_is_overwritten_and_then_nothing_is_written(tmp_path):
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / ".gitignore").symlink_to("nowhere")
    code, output = run("init", str(tmp_path))
    assert code == 2
    assert "these exist: .gitignore, README.md" in output
    assert (tmp_path / "README.md").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".gitignore", "README.md"]


def test_a_second_init_refuses(made):
    assert run("init", str(made))[0] == 2
