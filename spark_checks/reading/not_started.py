"""Why Spark did not start here: its own message names neither the Java nor the Spark that was tried."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from kafka_topology.toolchain.errors import ToolchainError
from kafka_topology.toolchain.java import java_major

from .spark_errors import connector_package

JAVAS: Final = (17, 21)  # that Spark 4 supports
_JAVA_NEEDED: Final = f"Spark 4 needs Java {JAVAS[0]} or {JAVAS[1]}"
_FIX_JAVA: Final = "install one of them, and put it on PATH or set JAVA_HOME"
_NOT_FETCHED: Final = ("unresolved dependency", "unresolved dependencies", "download failed")
_LOG_READ: Final = 1 << 20  # bytes; what ended the start is at its beginning or not there at all


def why_not_started(version: str, environ: Mapping[str, str], log: str, *, fetches: bool) -> str:
    """What to fix, as a sentence; empty when nothing is known to be wrong. `fetches`: the connector is not here yet."""
    found = next(_wrong_home(version, environ), None) or next(_wrong_java(environ), None)
    if found is None and fetches and any(words in log.lower() for words in _NOT_FETCHED):
        found = f"Spark could not fetch {connector_package(version)}: let it reach Maven, or give the jars"
    return found or ""


def read_log(file: Path | None) -> str:
    try:
        return "" if file is None else file.read_bytes()[:_LOG_READ].decode(errors="replace")
    except OSError:
        return ""


def _wrong_home(version: str, environ: Mapping[str, str]) -> Iterator[str]:
    home = environ.get("SPARK_HOME")
    if not home:
        return
    if not (Path(home) / "bin" / "spark-submit").is_file():
        yield f"SPARK_HOME is {home}, and there is no bin/spark-submit in it: unset it, or correct it"
        return
    there = {found[1] for jar in Path(home, "jars").glob("spark-core_*.jar") if (found := _VERSION.search(jar.name))}
    if there and version not in there:
        yield (
            f"SPARK_HOME is {home}, which is Spark {min(there)}, but pyspark is {version}: unset it, or install the"
            " same version of both"
        )


_VERSION: Final = re.compile(r"-(\d+(?:\.\d+)+[^-]*)\.jar$")


def _wrong_java(environ: Mapping[str, str]) -> Iterator[str]:
    """Spark takes the Java of JAVA_HOME, if it is set, even if there is none."""
    home = environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java", path=environ.get("PATH"))
    if java is None:
        yield f"there is no java on PATH, and JAVA_HOME is not set; {_JAVA_NEEDED}: {_FIX_JAVA}"
        return
    if not Path(java).is_file():
        yield f"JAVA_HOME is {home}, and there is no bin/java in it; {_JAVA_NEEDED}: correct it, or unset it"
        return
    try:
        major = java_major(java)
    except (ToolchainError, OSError) as error:
        yield f"{java} does not run ({error}); {_JAVA_NEEDED}: {_FIX_JAVA}"
        return
    if major is not None and major not in JAVAS:
        yield f"{java} is Java {major}; {_JAVA_NEEDED}: {_FIX_JAVA}"
