"""Writes the typed SDKs that `provider/plugin/schema.json` describes, by Pulumi's own generators.

The Python one is checked in and installed with the package, as `kafka_topology.sdk`. Those for Node.js and Go go to
`build/sdk`. Needs Go, except with `--check`, or with `--if-stale` when the Python one is up to date.

    python tools/sdk.py               write all three
    python tools/sdk.py --if-stale    write them only if the Python one is out of date
    python tools/sdk.py --check       end with 1 if the Python one is out of date
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

from kafka_topology.provider.plugin.schema import schema

ROOT = Path(__file__).resolve().parents[1]
GENERATOR = ROOT / "tools" / "pulumi"
PYTHON = ROOT / "src" / "kafka_topology" / "sdk"
OTHERS = ROOT / "build" / "sdk"
# Digests of the schema and of the generated files: comparing them needs no generator.
SEAL = ROOT / "tools" / "sdk.json"
# With these the packages are compiled as those of the Pulumi CLI, and so only once for both.
_TAGS = "osusergo,grpcnotrace"
_PACKAGE = "kafka_topology.sdk"


def generate(language: str, folder: Path) -> None:
    """The SDK as Pulumi's generator makes it, in a folder that is there."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(_document(language), file)
        file.flush()
        command = ["go", "run", "-C", str(GENERATOR), "-tags", _TAGS, "./gensdk", file.name, language, str(folder)]
        subprocess.run(command, check=True)


def python_sdk() -> dict[str, str]:
    """The files of `kafka_topology.sdk`. What belongs to a distribution of its own is left out.

    So is `pulumi-plugin.json`: it asks the engine to fetch the plugin, and ours comes with the package.
    """
    with tempfile.TemporaryDirectory() as folder:
        generate("python", Path(folder))
        package = Path(folder, _PACKAGE)
        files = sorted(file for file in package.rglob("*") if file.suffix in {".py", ".pyi", ".typed"})
        return {file.relative_to(package).as_posix(): file.read_text(encoding="utf-8") for file in files}


def seal(files: Mapping[str, str]) -> dict[str, str]:
    return {"schema": _digest(_document("python")), "files": _digest(files)}


def checked_in() -> dict[str, str]:
    files = (file for file in PYTHON.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    return {file.relative_to(PYTHON).as_posix(): file.read_text(encoding="utf-8") for file in files}


def _document(language: str) -> dict[str, Any]:
    document = schema()
    if language == "python":
        # Part of our distribution, whose version it then takes; so a new version needs no new files.
        document["language"]["python"]["packageName"] = _PACKAGE
        document["meta"]["supportPack"] = False
        del document["version"]
    return document


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _write() -> None:
    files = python_sdk()
    shutil.rmtree(PYTHON, ignore_errors=True)
    for name, text in files.items():
        file = PYTHON / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    SEAL.write_text(json.dumps(seal(files), indent=2) + "\n", encoding="utf-8")
    shutil.rmtree(OTHERS, ignore_errors=True)
    for language in ("nodejs", "go"):
        generate(language, OTHERS / language)
    for folder in (PYTHON, *sorted(OTHERS.iterdir())):
        print(f"{folder.relative_to(ROOT)}: written")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Write the typed SDKs.")
    parser.add_argument("--if-stale", action="store_true", help="write them only if the Python one is out of date")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; end with 1 if the Python one is out of date"
    )
    given = parser.parse_args(arguments)
    is_stale = json.loads(SEAL.read_text(encoding="utf-8")) != seal(checked_in())
    if given.check:
        if is_stale:
            print(f"{PYTHON.relative_to(ROOT)}: not what the schema describes; run make generate", file=sys.stderr)
        return int(is_stale)
    if is_stale or not given.if_stale:
        _write()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
