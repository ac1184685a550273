"""Builds of the clients in the per-user cache, by what they are built from: a second run builds nothing."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from kafka_topology.toolchain import cache_root
from kafka_topology.toolchain.errors import ToolchainError
from kafka_topology.toolchain.lock import file_lock
from kafka_topology.toolchain.pins import FILE, read, refuse_differing

SOURCES = Path(__file__).resolve().parents[1]
_LONGEST_BUILD = 900
_TAIL = 600


class Unavailable(Exception):
    """A client cannot be had on this machine; the message says why."""


def built(name: str, sources: str, build: Callable[[Path, Path], None]) -> Path:
    """The folder with the build, made first if it is not there. `build` gets the sources and the folder to fill."""
    source = SOURCES / sources
    root = cache_root() / "clients"
    place = root / f"{name}-{_digest(source)}"
    with file_lock(root / f".{name}.lock", timeout=_LONGEST_BUILD):
        if not place.exists():
            with tempfile.TemporaryDirectory(prefix=f".{name}.", dir=root) as temporary:
                target = Path(temporary) / name
                target.mkdir()
                build(source, target)
                target.rename(place)
    _compare(source, place)
    return place


def _compare(source: Path, folder: Path) -> None:
    """Raises `Unavailable` if the jars in a folder are not those of `jars.sha256`."""
    if (source / FILE).is_file():
        try:
            pins = read((source / FILE).read_text())[source.name]
            refuse_differing(folder.glob("*.jar"), pins, f"tests/clients/{source.name}")
        except ToolchainError as error:
            raise Unavailable(str(error)) from None


def _digest(folder: Path) -> str:
    found = hashlib.sha256()
    for file in sorted(each for each in folder.rglob("*") if each.is_file() and each.suffix != ".pyc"):
        found.update(f"{file.relative_to(folder)}\0".encode() + file.read_bytes())
    return found.hexdigest()[:12]


def run(
    *command: str | Path,
    cwd: Path | None = None,
    timeout: float = _LONGEST_BUILD,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Raises `Unavailable` if the program is missing, fails or takes too long."""
    program = str(command[0])
    if shutil.which(program) is None:
        raise Unavailable(f"{program} is not installed")
    try:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=cwd,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{program} did not end within {timeout:.0f} s") from None
    if done.returncode:
        output = " ".join((done.stderr.strip() or done.stdout.strip()).split())
        raise Unavailable(f"{Path(program).name} ended with {done.returncode}: {output[-_TAIL:]}")


def with_maven(source: Path, target: Path) -> None:
    """The jars that `pom.xml` names, compared with `jars.sha256` beside it, and our Java sources."""
    run(
        "mvn", "--batch-mode", "--no-transfer-progress", "--strict-checksums", "--file", source / "pom.xml",
        "dependency:copy-dependencies", f"-DoutputDirectory={target}", "-Dstyle.color=never",
    )  # fmt: skip
    _compare(source, target)
    for file in source.glob("*.java"):
        shutil.copy(file, target)


def with_npm(source: Path, target: Path) -> None:
    for name in ("package.json", "package-lock.json", "writer.js"):
        shutil.copy(source / name, target)
    run("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", cwd=target)


def with_go(package: str) -> Callable[[Path, Path], None]:
    def build(source: Path, target: Path) -> None:
        run("go", "build", "-trimpath", "-o", target / "writer", f"./{package}", cwd=source)

    return build


def with_pip(requirements: str) -> Callable[[Path, Path], None]:
    """Packages without an environment around them, so that the folder can be moved into place."""

    def build(source: Path, target: Path) -> None:
        pinned = ("--require-hashes", "--requirement", source / requirements)
        quiet = ("--quiet", "--disable-pip-version-check", "--no-compile")
        run(sys.executable, "-m", "pip", "install", *quiet, "--target", target, *pinned)

    return build
