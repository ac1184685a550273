"""The wheel works in an environment of its own, without the source tree."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from kafka_topology.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
JAR = "spark_checks/engines/kafka-topology-scan.jar"
GOOD = """\
version: 1
topics:
  orders: {owner: checkout, partitions: 6, replication: 3, config: {min.insync.replicas: 2}}
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of what git tracks, and from the jar, which the set-up builds and nobody tracks."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    tracked = _run("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", cwd=ROOT).split("\0")
    for name in filter(None, [*tracked, JAR]):
        if (ROOT / name).is_file() or (ROOT / name).is_symlink():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name, follow_symlinks=False)
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder / "dist"), cwd=source)
    shutil.rmtree(source)
    return next((folder / "dist").glob("kafka_topology-*.whl"))


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh virtual environment with the wheel and the extra `pulumi`."""
    return _installed(wheel, "run.txt", tmp_path_factory.mktemp("pulumi"))


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh virtual environment with the wheel and no extra."""
    return _installed(wheel, "base.txt", tmp_path_factory.mktemp("bare"))


def _installed(wheel: Path, pins: str, folder: Path) -> Path:
    venv = folder / "venv"
    _run(sys.executable, "-m", "venv", str(venv))
    pip = (str(venv / "bin/pip"), "install", "--quiet", "--disable-pip-version-check")
    _run(*pip, "--require-hashes", "--requirement", str(ROOT / "requirements" / pins))
    _run(*pip, "--no-deps", str(wheel))
    return venv / "bin"


def _run(*command: str, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_part_is_in_the_wheel(environment: Path, tmp_path: Path) -> None:
    code = "import kafka_topology.{0} as part; print(part.__file__)"
    parts = "topology validators provider local toolchain report review graph action program plugin sdk audit cluster"
    for part in parts.split():
        where = _run(str(environment / "python"), "-c", code.format(part), cwd=tmp_path)
        assert str(environment.parent) in where


def test_the_compiled_scan_is_in_the_wheel(environment: Path, tmp_path: Path) -> None:
    code = "import kafka_topology.spark_checks.engines as part; print(part.__file__)"
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


# Each line is a command on the topology `t`, and how it ends.
WITHOUT_EXTRAS = """
0 validate t
0 validate t --format json
0 validate t --baseline t.baseline --update-baseline
0 fmt --check t
0 show t
0 diff t t
0 review t --base HEAD
0 review t --base HEAD --format markdown
0 rules
0 explain KT101
0 graph t
0 clients t
0 report t --output page.html
0 schema
0 init new
0 what-if t --lose-broker 1
3 local status --data none
0 local stop --data none
"""
WITH_EXTRAS = """
kafka audit t --bootstrap 127.0.0.1:1
kafka import --bootstrap 127.0.0.1:1 --output new
kafka preflight t --bootstrap 127.0.0.1:1
kafka review t --base HEAD --live --bootstrap 127.0.0.1:1
kafka what-if t --lose-broker 1 --live --bootstrap 127.0.0.1:1
local local start --data none
spark check t --bootstrap 127.0.0.1:1
spark-connect check t --bootstrap 127.0.0.1:1 --remote sc://127.0.0.1:1
spark what-if t --partitions 12 --bootstrap 127.0.0.1:1
spark-connect what-if t --partitions 12 --bootstrap 127.0.0.1:1 --remote sc://127.0.0.1:1
"""


def _lines(text: str) -> list[tuple[str, str]]:
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in text.strip().splitlines()]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "t").mkdir()
    (tmp_path / "t/topology.yaml").write_text(GOOD.replace("topics:", "cluster: {brokers: 3}\ntopics:"))
    for command in ("init --quiet", "add t", "-c user.name=a -c user.email=a@b.c commit --quiet --message a"):
        _run("git", *command.split(), cwd=tmp_path)
    return tmp_path


def test_every_command_is_tried_without_extras() -> None:
    tried = {line.split()[0] for _, line in _lines(WITHOUT_EXTRAS) + _lines(WITH_EXTRAS)}
    assert tried == set(COMMANDS)


@pytest.mark.parametrize(("code", "line"), _lines(WITHOUT_EXTRAS))
def test_reading_files_needs_no_extra(bare: Path, repository: Path, code: str, line: str) -> None:
    command = [str(bare / "kafka-topology"), *line.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=repository)
    assert done.returncode == int(code), done.stdout + done.stderr


@pytest.mark.parametrize(("extra", "line"), _lines(WITH_EXTRAS))
def test_a_missing_extra_is_one_sentence(bare: Path, repository: Path, extra: str, line: str) -> None:
    command = [str(bare / "kafka-topology"), *line.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=repository)
    assert done.returncode == 3, done.stdout + done.stderr
    assert done.stdout == ""
    (said,) = done.stderr.splitlines()
    assert said.endswith(f"is not installed: run pip install 'kafka-topology[{extra}]'")


def test_a_plugin_without_its_extra_says_so(bare: Path) -> None:
    done = subprocess.run([str(bare / "pulumi-resource-kafka-topology")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    (said,) = done.stderr.splitlines()
    assert said.endswith("is not installed: run pip install 'kafka-topology[pulumi]'")


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
