"""Finding the programs that this product starts: java and mvn."""

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
_REMEDY = f"Install Java {MINIMUM_JAVA} or newer (a JRE is enough), and put it on PATH or let JAVA_HOME point to it."


def find_java(environ: Mapping[str, str] | None = None) -> str:
    """The java to use: of JAVA_HOME, else on PATH; refused when too old."""
    env = os.environ if environ is None else environ
    home = env.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home) / "bin")) if home else None
    java = java or shutil.which("java", path=env.get("PATH"))
    if java is None:
        raise ToolchainError("java was not found.", _REMEDY)
    major = java_major(java)
    if major is not None and major < MINIMUM_JAVA:
        raise ToolchainError(f"{java} is Java {major}, Kafka needs {MINIMUM_JAVA} or newer.", _REMEDY)
    return java


def java_major(java: str) -> int | None:
    """From the `release` file beside it, which costs nothing to read, else by running it."""
    release = Path(java).resolve().parent.parent / "release"
    try:
        text = release.read_text(encoding="utf-8", errors="replace")
    except OSError:
        run = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            # The stub of macOS is such a java: it is there, and says that there is none.
            raise ToolchainError(f"{java} does not run: {run.stderr.strip()}", _REMEDY) from None
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
            "Install Maven 3.6 or newer and put it on PATH. It is needed once: the jars are kept.",
        )
    return maven
