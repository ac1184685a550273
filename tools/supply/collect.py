"""Reads the licences of jars and Go modules from what is installed here: the slow part, done when a version changes.

    python tools/supply/collect.py    write tools/supply/collected.json

It reads poms in Maven's local repository, and LICENSE files in Go's module cache. `make setup` brings both.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

from parts import COLLECTED, jar_names, sources_digest

from kafka_topology.toolchain import cache_root

REPOSITORY = Path.home() / ".m2/repository"
MAVEN = "{http://maven.apache.org/POM/4.0.0}"
# How poms call a licence, by a part of its name or address; the first that fits.
NAMED = {
    "apache": "Apache-2.0",
    "classpath": "GPL-2.0-only WITH Classpath-exception-2.0",
    "gpl2 w/ cpe": "GPL-2.0-only WITH Classpath-exception-2.0",
    "mit": "MIT",
    "bouncy": "MIT",
    "edl": "BSD-3-Clause",
    "eclipse distribution": "BSD-3-Clause",
    "epl 2": "EPL-2.0",
    "epl-2": "EPL-2.0",
    "eclipse public license v. 2": "EPL-2.0",
    "eclipse public license - v 1": "EPL-1.0",
    "bsd-2": "BSD-2-Clause",
    "bsd 2": "BSD-2-Clause",
    "bsd": "BSD-3-Clause",
    "go license": "BSD-3-Clause",
    "cddl": "CDDL-1.1",
    "lgpl": "LGPL-2.1-or-later",
    "public domain": "CC0-1.0",
    "cc0": "CC0-1.0",
}
# What a LICENSE file says in the words that only it has; the first that fits.
SAID = [
    ("Mozilla Public License", "MPL-2.0"),
    ("Apache License", "Apache-2.0"),
    ("Permission to use, copy, modify, and/or distribute|Permission to use, copy, modify, and distribute", "ISC"),
    ("Permission is hereby granted, free of charge", "MIT"),
    ("GNU LESSER", "LGPL-3.0-or-later"),
    ("GNU GENERAL", "GPL-3.0-or-later"),
    ("(?s)Redistribution and use.*(endorse|promote)", "BSD-3-Clause"),
    ("Redistribution and use", "BSD-2-Clause"),
    ("unlicense", "Unlicense"),
]
BINARIES = (
    "pulumi-3.259.0/bin/pulumi",
    "pulumi-3.259.0/bin/pulumi-language-python",
    "toxiproxy-2.5.0/toxiproxy-server",
)


def poms() -> dict[str, Path]:
    return {path.stem: path for path in REPOSITORY.rglob("*.pom")}


def of_pom(pom: Path) -> list[str]:
    """The licences of a pom, or of the parent that states them."""
    root = ET.parse(pom).getroot()  # noqa: S314 - as above
    space = MAVEN if root.tag.startswith(MAVEN) else ""
    names = [
        " ".join(filter(None, (each.findtext(f"{space}name"), each.findtext(f"{space}url"))))
        for each in root.iterfind(f"{space}licenses/{space}license")
    ]
    parent = root.find(f"{space}parent")
    if names or parent is None:
        return names
    group, artifact, version = (
        parent.findtext(f"{space}{part}") or "" for part in ("groupId", "artifactId", "version")
    )
    above = REPOSITORY.joinpath(*group.split("."), artifact, version, f"{artifact}-{version}.pom")
    return of_pom(above) if above.is_file() else []


def spdx(name: str) -> str:
    lower = name.lower()
    return next((short for part, short in NAMED.items() if part in lower), "")


def jars() -> dict[str, Any]:
    known, found = poms(), {}
    for name in jar_names():
        stem = name.removesuffix(".jar")
        pom = known.get(stem) or known.get(re.sub(r"-(linux|osx|windows)[-\w]*$", "", stem))
        if pom is None:
            sys.exit(f"{name}: no pom in {REPOSITORY}; run make setup")
        version, artifact = pom.parent.name, pom.parent.parent.name
        group = ".".join(pom.parent.parent.parent.relative_to(REPOSITORY).parts)
        licences = sorted({spdx(each) or each for each in of_pom(pom)})
        found[name] = {"group": group, "artifact": artifact, "version": version, "licence": " OR ".join(licences)}
    return found


def modules() -> dict[str, Any]:
    cache = Path(subprocess.run(["go", "env", "GOMODCACHE"], check=True, capture_output=True, text=True).stdout.strip())
    found: dict[str, Any] = {}
    for binary in BINARIES:
        told = subprocess.run(
            ["go", "version", "-m", cache_root() / binary], check=True, capture_output=True, text=True
        ).stdout
        for kind, path, version, digest in re.findall(r"\t(mod|dep|=>)\t(\S+)\t(v\S+)\t(h1:\S+)", told):
            del kind
            folder = cache / (re.sub("[A-Z]", lambda each: f"!{each[0].lower()}", path) + f"@{version}")
            texts = sorted(each for each in folder.glob("*") if re.match("(?i)(licen[cs]e|copying)", each.name))
            text = texts[0].read_text(errors="replace") if texts and texts[0].is_file() else ""
            licence = next((short for words, short in SAID if re.search(words, text)), "")
            entry = found.setdefault(f"{path}@{version}", {"h1": digest, "licence": licence, "in": []})
            if Path(binary).name not in entry["in"]:
                entry["in"].append(Path(binary).name)
    return dict(sorted(found.items()))


if __name__ == "__main__":
    held = {"sources": sources_digest(), "jars": jars(), "modules": modules()}
    COLLECTED.write_text(json.dumps(held, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    unknown = [name for part in ("jars", "modules") for name, each in held[part].items() if not each["licence"]]
    print(f"{len(held['jars'])} jars, {len(held['modules'])} Go modules; no licence found: {unknown}", file=sys.stderr)
