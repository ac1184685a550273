"""Fetching a bundle with Maven: into a temporary folder, then moved into place as a whole."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections import deque
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from .bundles import KAFKA, MANIFEST, SPARK, Bundle, cache_root, lookup
from .errors import ToolchainError
from .java import find_java, find_maven
from .lock import file_lock
from .pins import pinned, refuse_differing

if TYPE_CHECKING:
    from collections.abc import Callable

_WAIT_FOR_ANOTHER = 600.0
_TAIL_LINES = 15


def say(message: str) -> None:
    """Progress for a person, where no program reads it."""
    sys.stderr.write(f"{message}\n")
    sys.stderr.flush()


def ensure_kafka(cache: Path | None = None, *, progress: Callable[[str], None] = say) -> list[Path]:
    return ensure(KAFKA, cache, progress=progress)


def ensure_spark(
    pyspark_version: str, cache: Path | None = None, *, progress: Callable[[str], None] = say
) -> list[Path] | None:
    """The connector's jars, fetched when missing; None for a pyspark that we have no pom for."""
    return ensure(SPARK, cache, progress=progress) if pyspark_version == SPARK.version else None


def ensure(bundle: Bundle, cache: Path | None = None, *, progress: Callable[[str], None] = say) -> list[Path]:
    """The jars of a bundle, fetched first when they are not in the cache."""
    root = cache or cache_root()
    if (jars := lookup(bundle, root)) is not None:
        return jars
    lock = root / f".{bundle.folder}.lock"
    try:
        with file_lock(
            lock,
            timeout=_WAIT_FOR_ANOTHER,
            waiting=lambda: progress(f"Another process is fetching {bundle.title}; waiting for it."),
        ):
            return lookup(bundle, root) or _fetch(bundle, root, progress)
    except TimeoutError:
        raise ToolchainError(
            f"Another process has been fetching {bundle.title} for {_WAIT_FOR_ANOTHER:.0f} s.",
            f"Look for a Maven that hangs, end it and try again (lock: {lock}).",
        ) from None
    except OSError as error:
        raise ToolchainError(
            f"The cache {root} cannot be written: {error.strerror or error}.",
            "Make room or choose another folder with KAFKA_TOPOLOGY_CACHE.",
        ) from error


def _fetch(bundle: Bundle, root: Path, progress: Callable[[str], None]) -> list[Path]:
    find_java()
    maven = find_maven()
    for left_behind in root.glob(f".{bundle.folder}.fetch-*"):  # by a process that was killed
        shutil.rmtree(left_behind, ignore_errors=True)
    progress(f"Fetching {bundle.title} {bundle.version} with Maven ({bundle.size}, once per user) ...")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f".{bundle.folder}.fetch-", dir=root) as temporary:
        work = Path(temporary)
        pom = work / "pom.xml"
        pom.write_bytes((resources.files(__package__) / bundle.pom).read_bytes())
        arrived = work / bundle.folder
        _run_maven(maven, pom, arrived, bundle)
        names = sorted(jar.name for jar in arrived.glob("*.jar"))
        _refuse_unknown(bundle, arrived, names, progress)
        (arrived / MANIFEST).write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
        place = root / bundle.folder
        if place.exists():  # a jar of it is gone or was changed, or we would not be here
            place.rename(work / "incomplete")
        arrived.rename(place)
    jars = lookup(bundle, root)
    if not jars:
        raise ToolchainError(
            f"Maven ended well but left no jars of {bundle.title} {bundle.version}.",
            "Run it again; if it stays so, report it with the output of `mvn -version`.",
        )
    progress(f"Fetched {len(jars)} jars in {time.monotonic() - began:.0f} s: {root / bundle.folder}")
    return jars


def _refuse_unknown(bundle: Bundle, folder: Path, names: list[str], progress: Callable[[str], None]) -> None:
    """Raises if Maven brought something else than what this version was tested with."""
    pins = pinned(bundle.folder)
    if not pins:
        progress(
            f"{bundle.title} {bundle.version} is not the tested version: only Maven's own checksums were compared."
        )
        return
    refuse_differing([folder / name for name in names], pins, f"{bundle.title} {bundle.version}")


def _run_maven(maven: str, pom: Path, target: Path, bundle: Bundle) -> None:
    command = [
        maven,
        "--batch-mode",
        "--no-transfer-progress",
        "--strict-checksums",
        "--file",
        str(pom),
        "dependency:copy-dependencies",
    ]
    command += [f"-D{bundle.name}.version={bundle.version}", f"-DoutputDirectory={target}"]
    command += ["-DincludeScope=runtime", "-Dstyle.color=never"]
    tail: deque[str] = deque(maxlen=_TAIL_LINES)
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        try:
            assert process.stdout is not None  # noqa: S101 - asked for above
            tail.extend(line.rstrip() for line in process.stdout if line.strip())
        except BaseException:
            process.terminate()
            raise
    if process.returncode != 0:
        output = "\n".join(f"  {line}" for line in tail)
        raise ToolchainError(
            f"Maven could not fetch {bundle.title} {bundle.version}:\n{output}",
            "Check the network and Maven's settings.xml (proxy, mirror), then try again.",
        )
