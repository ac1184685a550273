"""Finds the programs that this product starts: java and mvn."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import ToolchainError

if TYPE_CHECKING:
    from collections.abc import Mapping

MINIMUM_JAVA = 17
_FIX = f"Install Java {MINIMUM_JAVA} or newer (a JRE is enough), and put it on PATH or set JAVA_HOME."


def find_java(environ: Mapping[str, str] | None = None) -> str:
    """The java of JAVA_HOME, or else on PATH. Raises ToolchainError if it is missing or too old."""
    env = os.environ if environ is None else environ
    home = env.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home) / "bin")) if home else None
    java = java or shutil.which("java", path=env.get("PATH"))
    if java is None:
        raise ToolchainError("java was not found.", _FIX)
    major = java_major(java)
    if major is not None and major < MINIMUM_JAVA:
        raise ToolchainError(f"{java} is Java {major}, Kafka needs {MINIMUM_JAVA} or newer.", _FIX)
    return java


def java_major(java: str) -> int | None:
    """From the `release` file beside it, which is fast to read, or else by running it."""
    release = Path(java).resolve().parent.parent / "release"
    try:
        text = release.read_text(encoding="utf-8", errors="replace")
    except OSError:
        run = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            # macOS has such a stub: it exists, and reports that Java is not installed.
            raise ToolchainError(f"{java} does not run: {run.stderr.strip()}", _FIX) from None
        text = run.stderr
    return parse_java_major(text)


def parse_java_major(text: str) -> int | None:
    """Of `JAVA_VERSION="17.0.15"` or `openjdk version "1.8.0_412"`."""
    found = re.search(r'(?:JAVA_VERSION=|version )"(?:1\.)?(\d+)', text)
    return int(found[1]) if found else None


def find_maven(environ: Mapping[str, str] | None = None) -> str:
    env = os.environ if environ is None else environ
    maven = shutil.which("mvn", path=env.get("PATH"))
    if maven is None:
        raise ToolchainError(
            "mvn (Maven) was not found; it fetches the jars of Kafka.",
            "Install Maven 3.6 or newer and put it on PATH. It runs once; the jars stay in the cache.",
        )
    return maven
