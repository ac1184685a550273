"""Writes topology/catalogue.json from Kafka's own jars; with --check, says if it is up to date.

For each Kafka it resolves the jars with Maven and runs Dump.java (Java 17) on them. It also asks
the jars about 190,000 texts, and fails when our `ConfigKey` judges or prints one of them
otherwise than Kafka does. Takes half a minute once Maven has the jars.
"""

from __future__ import annotations

import argparse
import difflib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from merge import merge
from verify import disagreements

from kafka_topology.topology.catalogue import VERSIONS

HERE = Path(__file__).parent
TARGET = HERE.parent.parent / "topology" / "catalogue.json"

# The newest patch of each version when the catalogue was last made.
PATCHES = {
    "3.7": "3.7.2",
    "3.8": "3.8.1",
    "3.9": "3.9.2",
    "4.0": "4.0.2",
    "4.1": "4.1.2",
    "4.2": "4.2.1",
}


def dump(patch: str) -> dict[str, Any]:
    """What the jars of one Kafka define."""
    with tempfile.TemporaryDirectory() as folder:
        class_path = Path(folder, "class-path")
        subprocess.run(
            [
                *("mvn", "-q", "-B", "-f", str(HERE / "pom.xml"), "dependency:build-classpath"),
                *(f"-Dkafka.version={patch}", f"-Dmdep.outputFile={class_path}"),
            ],
            check=True,
            stdout=sys.stderr,
        )
        # One default is below Java's temporary folder: keep the variable, not this machine's value.
        printed = subprocess.run(
            [
                *("java", "-Djava.io.tmpdir=${java.io.tmpdir}"),
                *("-cp", class_path.read_text().strip(), str(HERE / "Dump.java")),
            ],
            check=False,
            capture_output=True,
        )
    if printed.returncode != 0:
        sys.exit(f"Dump.java failed on Kafka {patch}:\n{printed.stderr.decode()}")
    dumped: dict[str, Any] = json.loads(printed.stdout)
    return dumped


def render(data: dict[str, Any]) -> str:
    """One config per line, so that a diff reads as a list of changed configs."""
    scopes = []
    for scope, rows in data["scopes"].items():
        lines = [f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in rows.items()]
        scopes.append(f"{json.dumps(scope)}: {{\n" + ",\n".join(lines) + "\n}")
    head = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in data.items() if key != "scopes"]
    return "{\n" + ",\n".join(head) + ',\n"scopes": {\n' + ",\n".join(scopes) + "\n}\n}\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when out of date")
    check: bool = parser.parse_args().check
    if tuple(PATCHES) != VERSIONS:
        sys.exit("PATCHES and kafka_topology.topology.catalogue.VERSIONS differ")

    dumps = {version: dump(patch) for version, patch in PATCHES.items()}
    data = {"kafka": PATCHES, **merge(dumps)}
    text = render(data)
    if wrong := list(disagreements(dumps, json.loads(text))):
        sys.exit("\n".join(["ConfigKey and Kafka disagree:", *wrong]))
    if not check:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    current = TARGET.read_text(encoding="utf-8")
    if current != text:
        changed = difflib.unified_diff(
            current.splitlines(), text.splitlines(), "checked in", "from the jars", n=0, lineterm=""
        )
        sys.exit("\n".join([*changed, "catalogue.json is out of date: run generate.py"]))
    print("catalogue.json is up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
