"""The jar of the compiled engine, if it was built."""

from __future__ import annotations

from pathlib import Path

_JAR = Path(__file__).parent / "engines" / "kafka-topology-scan.jar"


def scan_jar() -> Path | None:
    """The jar that `make setup` builds. Without it everything works, slower."""
    return _JAR if _JAR.exists() else None
