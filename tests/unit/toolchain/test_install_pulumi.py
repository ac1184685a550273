"""`tools/install-pulumi` with a Go and an SDK of the test's own: which way it takes, alone and beside others."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "tools/install-pulumi"
FOLDER = "pulumi-3.259.0"
# Writes the program that `go build -o PROGRAM` asks for, after as long as the test wants; knows of no other module.
GO = """\
#!/usr/bin/env bash
echo "$@" >>"$CALLS"
case $1 in
list)
    mkdir -p "$MODULES/python/cmd"
    touch "$MODULES/python/cmd/pulumi-language-python-exec" "$MODULES/main.go"
    echo "$MODULES";;
build)
    while [ -e "$HOLD" ]; do sleep 0.05; done
    [ -z "${BROKEN:-}" ] || { echo "no such module"; exit 1; }
    while [ "$1" != -o ]; do shift; done
    printf '#!/bin/sh\\n' >"$2"; chmod +x "$2";;
esac
"""
SDK = """\
import os, pathlib
class Found:
    version = None
class PulumiCommand:
    @staticmethod
    def install(root, version):
        if os.environ.get("OFFLINE"):
            raise OSError("nobody answers")
        for name in ("pulumi", "pulumi-language-python"):
            file = pathlib.Path(root, "bin", name)
            file.parent.mkdir(exist_ok=True)
            file.write_text("#!/bin/sh\\n")
            file.chmod(0o755)
        found = Found()
        found.version = version if not os.environ.get("OTHER") else "1.0.0"
        return found
"""

Install = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def install(tmp_path: Path) -> Install:
    programs, sdk = tmp_path / "programs", tmp_path / "sdk"
    (sdk / "pulumi").mkdir(parents=True)
    (sdk / "pulumi/__init__.py").touch()
    (sdk / "pulumi/automation.py").write_text(SDK)
    programs.mkdir()
    (programs / "go").write_text(GO)
    (programs / "go").chmod(0o755)
    environment = {
        "PATH": f"{programs}:/usr/bin:/bin",
        "PYTHONPATH": str(sdk),
        "CALLS": str(tmp_path / "calls"),
        "MODULES": str(tmp_path / "modules"),
        "HOLD": str(tmp_path / "hold"),
        "HOME": str(tmp_path),
    }

    def run(*options: str, **more: str) -> subprocess.Popen[str]:
        command = [str(SCRIPT), *options, str(tmp_path / "cache"), sys.executable]
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment | more
        )

    return run


def test_the_release_is_used_where_it_can_be_had(install: Install, tmp_path: Path) -> None:
    said, _ = install().communicate(timeout=60)
    assert said.strip() == str(tmp_path / "cache" / FOLDER / "bin")
    assert (tmp_path / "cache" / FOLDER / "host").read_text() == "release\n"
    assert not (tmp_path / "calls").exists()


@pytest.mark.parametrize("why", ["OFFLINE", "OTHER", "KAFKA_TOPOLOGY_BUILD_PULUMI"])
def test_it_is_built_otherwise(install: Install, tmp_path: Path, why: str) -> None:
    process = install(**{why: "1"})
    said, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert said.strip() == str(tmp_path / "cache" / FOLDER / "bin")
    assert _builds(tmp_path) == 2
    assert [file.name for file in (tmp_path / "cache").iterdir()] == [FOLDER]
    assert install(**{why: "1"}).communicate(timeout=60)[0] == said
    assert _builds(tmp_path) == 2


def test_a_build_in_the_background_is_waited_for_and_made_once(install: Install, tmp_path: Path) -> None:
    (tmp_path / "hold").touch()
    assert install("--background", OFFLINE="1").wait(timeout=10) == 0
    lock = tmp_path / "cache" / f"{FOLDER}.installing/process"
    _until(lock.exists)
    waiting = [install(OFFLINE="1") for _ in range(2)]
    _until((tmp_path / "calls").exists)
    assert all(process.poll() is None for process in waiting)
    (tmp_path / "hold").unlink()
    for process in waiting:
        said, errors = process.communicate(timeout=60)
        assert said.strip().endswith(f"{FOLDER}/bin")
        assert "building pulumi from Go modules" in errors
    assert _builds(tmp_path) == 2
    assert not lock.parent.exists()


def test_who_waits_takes_over_when_the_other_is_killed_or_fails(install: Install, tmp_path: Path) -> None:
    lock = tmp_path / "cache" / f"{FOLDER}.installing"
    lock.mkdir(parents=True)
    gone = subprocess.Popen(["true"])
    gone.wait()
    (lock / "process").write_text(str(gone.pid))
    process = install(OFFLINE="1", BROKEN="1")
    said, errors = process.communicate(timeout=60)
    assert (process.returncode, said) == (1, "")
    assert "no such module" in errors
    assert not lock.exists()
    assert install(OFFLINE="1").wait(timeout=60) == 0


def _builds(folder: Path) -> int:
    return sum(line.startswith("build ") for line in (folder / "calls").read_text().splitlines())


def _until(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.02)
