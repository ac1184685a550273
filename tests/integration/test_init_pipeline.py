"""The steps of the workflows that `init` writes, as a runner would run them: in a clone with nothing installed."""

from __future__ import annotations

import os
import site
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from gitted import git
from pulumi_project import PulumiProject

COMMANDS = ("kafka-topology", "pulumi-resource-kafka-topology")


def stand_in(folder: Path) -> Path:
    """A wheel that leads to the packages of this environment, so that nothing is downloaded."""
    name, info = "kafka_topology-0.1.0", "kafka_topology-0.1.0.dist-info"
    wheel = folder / f"{name}-py3-none-any.whl"
    entries = {
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: kafka-topology\nVersion: 0.1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "kafka_topology_stand_in.pth": "".join(f"import site; site.addsitedir({each!r})\n" for each in packages()),
    }
    for command in COMMANDS:
        text = (Path(sys.executable).parent / command).read_text()
        entries[f"{name}.data/scripts/{command}"] = "#!python\n" + text.partition("\n")[2]
    entries[f"{info}/RECORD"] = "".join(f"{each},,\n" for each in (*entries, f"{info}/RECORD"))
    with zipfile.ZipFile(wheel, "w") as made:
        for path, text in entries.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = 0o100755 << 16
            made.writestr(entry, text)
    return wheel


def packages() -> list[str]:
    return [each for each in site.getsitepackages() if Path(each).is_dir()]


class Runner:
    """A job of GitHub: `run` steps only, each in a shell of its own, with what steps before it added to the path."""

    def __init__(self, clone: Path, temporary: Path, environment: dict[str, str]) -> None:
        self.clone, self.temporary = clone, temporary
        self.path_file = temporary / "path"
        self.path_file.write_text("")
        self.environment = environment

    def run(self, job: dict) -> subprocess.CompletedProcess[str]:
        for step in job["steps"]:
            if "run" in step:
                done = self.step(step["run"], {**job.get("env", {}), **step.get("env", {})})
                if done.returncode:
                    break
        return done

    def step(self, script: str, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
        added = self.path_file.read_text().split("\n")[-2::-1]
        given = {
            name: value.replace("${{ runner.temp }}", str(self.temporary))
            for name, value in variables.items()
            if "secrets." not in value and "vars." not in value
        }
        environment = {**self.environment, "GITHUB_PATH": str(self.path_file), **given}
        environment["PATH"] = os.pathsep.join([*added, self.environment["PATH"]])
        return subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=self.clone,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )


@pytest.mark.parametrize("host", ["github", "gitlab"])
def test_the_plan_job_finds_the_plugin_it_installs(tmp_path, kafka, host):
    project = PulumiProject(tmp_path / "project", kafka.bootstrap_servers)  # for its engine, backend and stack
    clone = tmp_path / "clone"
    wheel = stand_in(tmp_path)
    command = [str(Path(sys.executable).parent / "kafka-topology"), "init", str(clone), "--ci", host]
    subprocess.run([*command, "--package", str(wheel)], check=True, capture_output=True, timeout=120)
    git(clone, "init", "--quiet", "--initial-branch", "main")
    stack = clone / "Pulumi.dev.yaml"
    stack.write_text(stack.read_text().replace("localhost:9092", kafka.bootstrap_servers))
    cluster = clone / "topology/cluster.yaml"
    cluster.write_text(cluster.read_text().replace("{brokers: 1,", "{brokers: 3,"))
    # Only the interpreter that the runner has: not the commands of this environment.
    bare = tmp_path / "bin"
    bare.mkdir()
    for name in ("python", "python3"):
        (bare / name).symlink_to(Path(sys.executable).resolve())
    ours = str(Path(sys.executable).parent)
    others = [each for each in project.environment["PATH"].split(os.pathsep) if each != ours]
    environment = {**project.environment, "PATH": os.pathsep.join([str(bare), *others])}
    environment.pop("VIRTUAL_ENV", None)
    runner = Runner(clone, tmp_path, environment)
    created = runner.step("pulumi stack init dev", {})
    assert created.returncode == 0, created.stderr
    git(clone, "add", "-A")
    git(clone, "commit", "--quiet", "--message", "start")
    if host == "github":
        jobs = yaml.safe_load((clone / ".github/workflows/deploy.yml").read_text())["jobs"]
        job = jobs["plan"]
        assert "topology" in jobs["apply"]["env"]["DEPLOYS"].split()
    else:
        jobs = yaml.safe_load((clone / ".gitlab-ci.yml").read_text())
        script = "\n".join([*jobs[".installed"]["before_script"], *jobs["plan"]["script"]])
        job = {"env": {"STACK": "dev", "CI_PROJECT_DIR": str(clone)}, "steps": [{"run": script}]}
    job = {**job, "env": {**job["env"], "STACK": "dev"}}
    done = runner.run(job)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "changes in the plan: " in done.stdout
