"""The wheel works in an environment of its own, without the source tree."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
JAR = "spark_checks/kafka-topology-scan.jar"
GOOD = """\
version: 1
topics:
  orders: {owner: checkout, partitions: 6, replication: 3, config: {min.insync.replicas: 2}}
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh virtual environment with the pinned packages and the wheel, built from a copy of what git tracks.

    And from the jar, which is built by the set-up and tracked by nobody.
    """
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    tracked = _run("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", cwd=ROOT).split("\0")
    for name in filter(None, [*tracked, JAR]):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder / "dist"), cwd=source)
    shutil.rmtree(source)
    wheel = next((folder / "dist").glob("kafka_topology-*.whl"))
    venv = folder / "venv"
    _run(sys.executable, "-m", "venv", str(venv))
    pip = (str(venv / "bin/pip"), "install", "--quiet", "--disable-pip-version-check")
    _run(*pip, "--require-hashes", "--requirement", str(ROOT / "requirements/run.txt"))
    _run(*pip, "--no-deps", str(wheel))
    return venv / "bin"


def _run(*command: str, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_part_is_in_the_wheel(environment: Path, tmp_path: Path) -> None:
    code = "import kafka_topology.{0} as part; print(part.__file__)"
    parts = "topology validators provider local toolchain report review graph action deploy plugin sdk"
    for part in parts.split():
        where = _run(str(environment / "python"), "-c", code.format(part), cwd=tmp_path)
        assert str(environment.parent) in where


def test_the_compiled_scan_is_in_the_wheel(environment: Path, tmp_path: Path) -> None:
    code = "import kafka_topology.spark_checks as part; print(part.__file__)"
    where = Path(_run(str(environment / "python"), "-c", code, cwd=tmp_path).strip())
    with zipfile.ZipFile(where.with_name(Path(JAR).name)) as jar:
        assert "kafkatopology/scan/Scan.class" in jar.namelist()


def test_the_command_validates_a_topology(environment: Path, tmp_path: Path) -> None:
    file = tmp_path / "topology.yaml"
    file.write_text(GOOD)
    command = str(environment / "kafka-topology")
    assert "error" not in _run(command, "validate", str(file))
    file.write_text(GOOD.replace("min.insync.replicas: 2", "min.insync.replicas: 3"))
    done = subprocess.run([command, "validate", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "KT101" in done.stdout


def test_a_missing_spark_is_explained(environment: Path, tmp_path: Path) -> None:
    file = tmp_path / "topology.yaml"
    file.write_text(GOOD)
    command = [str(environment / "kafka-topology"), "check", str(file), "--bootstrap", "127.0.0.1:1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "pip install 'kafka-topology[spark]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_plugin_starts_and_prints_only_its_port(environment: Path, tmp_path: Path) -> None:
    command = [str(environment / "pulumi-resource-kafka-topology"), "127.0.0.1:1"]
    plugin = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    try:
        assert plugin.stdout is not None
        assert plugin.stdout.readline().strip().isdecimal()
    finally:
        plugin.terminate()
        plugin.wait(10)


def test_the_shell_of_the_action_is_in_the_wheel(environment: Path, tmp_path: Path) -> None:
    folder = Path(_run(str(environment / "python"), "-m", "kafka_topology.action", cwd=tmp_path).strip())
    there = {path.name for path in folder.iterdir()}
    assert there >= {"github.sh", "gitlab.sh", "common.sh", "action.yml", "gitlab.yml"}
