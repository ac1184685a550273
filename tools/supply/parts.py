"""What the product installs and runs, from the files that pin it. Nothing here needs a network."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from kafka_topology.toolchain.pins import read

ROOT = Path(__file__).resolve().parents[2]
COLLECTED = Path(__file__).with_name("collected.json")
JARS = "src/kafka_topology/toolchain/jars.sha256"
# What `collected.json` was made from.
SOURCES = (JARS, "tools/pulumi/go.sum", "tools/pulumi-language-python/go.sum", "tools/toxiproxy/go.sum")
CLASSIFIERS = {
    "Apache Software License": "Apache-2.0", "MIT License": "MIT", "BSD License": "BSD-3-Clause",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0", "Python Software Foundation License": "PSF-2.0",
    "ISC License (ISCL)": "ISC",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """One dependency, where it comes from, and whether the product runs it or only its tests do."""

    kind: str
    name: str
    version: str
    purl: str
    licence: str
    hashes: tuple[tuple[str, str], ...] = ()
    tests_only: bool = False
    used_by: tuple[str, ...] = field(default=())


def jar_names() -> list[str]:
    return sorted({name for jars in read((ROOT / JARS).read_text()).values() for name in jars})


def sources_digest() -> str:
    return hashlib.sha256(b"\0".join((ROOT / name).read_bytes() for name in SOURCES)).hexdigest()


def parts() -> list[Part]:
    return [*_python(), *_jars(), *_modules(), *_npm()]


def _python() -> Iterator[Part]:
    own = _pinned("run.txt").keys() | _pinned("base.txt").keys() | {"pyspark", "py4j", "jsonschema-rs", "filelock"}
    for name, (version, hashes) in _pinned("dev.txt").items():
        yield Part(
            "Python package", name, version, f"pkg:pypi/{name}@{version}", _licence_of(name),
            tuple(("SHA-256", each) for each in hashes), tests_only=name not in own,
        )  # fmt: skip


def _pinned(file: str) -> dict[str, tuple[str, list[str]]]:
    text = (ROOT / "requirements" / file).read_text(encoding="utf-8")
    found = re.findall(r"^([a-z0-9._-]+)==(\S+)((?:[^\n]*\\\n)*[^\n]*)", text, re.MULTILINE)
    return {name: (version, sorted(re.findall(r"sha256:([0-9a-f]{64})", rest))) for name, version, rest in found}


def _licence_of(name: str) -> str:
    """As an SPDX expression if the package says so, or by its classifiers."""
    try:
        told = metadata(name)
    except PackageNotFoundError:
        return ""
    if told.get("License-Expression"):
        return str(told["License-Expression"])
    named = [each.rpartition(" :: ")[2] for each in told.get_all("Classifier") or () if each.startswith("License ::")]
    short = " OR ".join(sorted({CLASSIFIERS[each] for each in named if each in CLASSIFIERS}))
    said = (told.get("License") or "").strip()
    return short or (said if len(said) < 40 else "")


def _jars() -> Iterator[Part]:
    held = json.loads(COLLECTED.read_text(encoding="utf-8"))["jars"]
    pins = read((ROOT / JARS).read_text())
    for name in jar_names():
        entry = held.get(name, {"group": "", "artifact": name, "version": "", "licence": ""})
        where = tuple(folder for folder, jars in pins.items() if name in jars)
        purl = f"pkg:maven/{entry['group']}/{entry['artifact']}@{entry['version']}"
        full, digest = f"{entry['group']}:{entry['artifact']}", pins[where[0]][name]
        yield Part("jar", full, entry["version"], purl, entry["licence"], (("SHA-256", digest),), used_by=where)


def _modules() -> Iterator[Part]:
    for name, entry in json.loads(COLLECTED.read_text(encoding="utf-8"))["modules"].items():
        path, version = name.rsplit("@", 1)
        digest = b64decode(entry["h1"].removeprefix("h1:")).hex()
        tests_only = entry["in"] == ["toxiproxy-server"]
        purl = f"pkg:golang/{path}@{version}"
        yield Part(
            "Go module", path, version, purl, entry["licence"], (("SHA-256", digest),), tests_only, tuple(entry["in"])
        )


def _npm() -> Iterator[Part]:
    lock = json.loads((ROOT / "tests/clients/node/package-lock.json").read_text(encoding="utf-8"))
    for place, each in lock["packages"].items():
        if place:
            name = place.removeprefix("node_modules/")
            digest = b64decode(each["integrity"].removeprefix("sha512-")).hex()
            purl = f"pkg:npm/{name}@{each['version']}"
            yield Part(
                "npm package", name, each["version"], purl, each["license"], (("SHA-512", digest),), tests_only=True
            )
