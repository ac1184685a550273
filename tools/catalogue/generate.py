"""Writes Kafka's settings, catalogue.json, from its own jars.

    python tools/catalogue/generate.py               write it
    python tools/catalogue/generate.py --if-stale    write it only if it is out of date
    python tools/catalogue/generate.py --check       end with 1 if it is out of date; needs no jars
    python tools/catalogue/generate.py --verify      compare it with the jars

For each Kafka it resolves the jars with Maven and runs Dump.java (Java 17) on them. It also asks
the jars about 190,000 texts, and fails when our `ConfigKey` judges or prints one of them
otherwise than Kafka does. Takes half a minute once Maven has the jars.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from merge import merge
from verify import disagreements

from kafka_topology.toolchain.errors import ToolchainError
from kafka_topology.toolchain.pins import FILE, read, refuse_differing
from kafka_topology.topology.kafka.catalogue import VERSIONS

HERE = Path(__file__).parent
TARGET = HERE.parent.parent / "src/kafka_topology/topology/kafka/catalogue.json"
SEAL = HERE / "seal.json"
SOURCES = ("Dump.java", "merge.py", "pom.xml")

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
                *("mvn", "-q", "-B", "-C", "-f", str(HERE / "pom.xml"), "dependency:build-classpath"),
                *(f"-Dkafka.version={patch}", f"-Dmdep.outputFile={class_path}"),
            ],
            check=True,
            stdout=sys.stderr,
        )
        jars = [Path(jar) for jar in class_path.read_text().strip().split(os.pathsep)]
        try:
            refuse_differing(jars, read((HERE / FILE).read_text())[f"kafka-{patch}"], f"Kafka {patch}")
        except ToolchainError as error:
            sys.exit(str(error))
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


def seal() -> dict[str, str]:
    """Digests of the sources and of the catalogue: comparing them needs no jars."""
    sources = [json.dumps(PATCHES), *((HERE / name).read_text(encoding="utf-8") for name in SOURCES)]
    return {"sources": _digest("\0".join(sources)), "catalogue": _digest(TARGET.read_text(encoding="utf-8"))}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--if-stale", action="store_true", help="write it only if it is out of date")
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 if it is out of date")
    parser.add_argument("--verify", action="store_true", help="write nothing; compare it with the jars")
    given = parser.parse_args()
    if tuple(PATCHES) != VERSIONS:
        sys.exit("PATCHES and kafka_topology.topology.kafka.catalogue.VERSIONS differ")
    is_stale = json.loads(SEAL.read_text(encoding="utf-8")) != seal()
    if given.check:
        return _say_stale() if is_stale else 0
    if given.if_stale and not is_stale:
        return 0
    text = from_jars()
    if given.verify:
        return _differs(text)
    TARGET.write_text(text, encoding="utf-8")
    SEAL.write_text(json.dumps(seal(), indent=2) + "\n", encoding="utf-8")
    return 0


def from_jars() -> str:
    dumps = {version: dump(patch) for version, patch in PATCHES.items()}
    text = render({"kafka": PATCHES, **merge(dumps)})
    if wrong := list(disagreements(dumps, json.loads(text))):
        sys.exit("\n".join(["ConfigKey and Kafka disagree:", *wrong]))
    return text


def _say_stale() -> int:
    print("catalogue.json: not what its sources make; run make generate", file=sys.stderr)
    return 1


def _differs(text: str) -> int:
    current = TARGET.read_text(encoding="utf-8")
    if current == text:
        print("catalogue.json is up to date")
        return 0
    changed = difflib.unified_diff(
        current.splitlines(), text.splitlines(), "checked in", "from the jars", n=0, lineterm=""
    )
    print("\n".join(changed))
    return _say_stale()


if __name__ == "__main__":
    sys.exit(main())
