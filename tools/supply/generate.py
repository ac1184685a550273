"""The software bill of materials, and the page of licences. Needs no network.

python tools/supply/generate.py                write docs/licences.md
python tools/supply/generate.py --check        end with 1 if it is out of date, or a part has no licence
python tools/supply/generate.py --sbom FILE    write a CycloneDX 1.6 document
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from license_expression import ExpressionError, get_spdx_licensing
from parts import COLLECTED, ROOT, Part, parts, sources_digest

from kafka_topology import __version__

SPDX = get_spdx_licensing()
PAGE = ROOT / "docs/licences.md"
# What asks more of whoever passes it on than to keep a notice.
ATTENTION = {
    "MPL": "changed files must be published under it; used unchanged here",
    "LGPL": "must stay replaceable; used as a separate file here",
    "GPL": "must not be linked into something else without its exception",
    "EPL": "changed files must be published under it; used unchanged here",
    "CDDL": "changed files must be published under it; used unchanged here",
}


def sbom(found: list[Part]) -> dict[str, Any]:
    own = f"pkg:pypi/kafka-topology@{__version__}"
    components = {part.purl: _component(part) for part in found}
    serial = uuid5(NAMESPACE_URL, json.dumps([own, *components.values()], sort_keys=True))
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application", "name": "kafka-topology", "version": __version__, "bom-ref": own, "purl": own,
                "licenses": [{"expression": "Apache-2.0"}],
            },
        },
        "components": list(components.values()),
        "dependencies": [{"ref": own, "dependsOn": list(components)}],
    }  # fmt: skip


def _component(part: Part) -> dict[str, Any]:
    return {
        "type": "library",
        "bom-ref": part.purl,
        "name": part.name,
        "version": part.version,
        "scope": "excluded" if part.tests_only else "required",
        "licenses": [_licence(part.licence)],
        "purl": part.purl,
        "hashes": [{"alg": algorithm, "content": content} for algorithm, content in part.hashes],
    }


def _licence(text: str) -> dict[str, Any]:
    """As an expression if SPDX knows all its names."""
    return {"expression": text} if is_spdx(text) else {"license": {"name": text or "unknown"}}


def is_spdx(text: str) -> bool:
    try:
        return bool(text) and SPDX.parse(text, validate=True, strict=True) is not None
    except ExpressionError:
        return False


def page(found: list[Part]) -> str:
    by_kind: dict[str, list[Part]] = defaultdict(list)
    for part in sorted(found, key=lambda each: (each.kind, each.name, each.version)):
        by_kind[part.kind].append(part)
    lines = [
        "# Licences",
        "",
        "<!-- Written by tools/supply/generate.py. -->",
        "After this page you know the licence of each dependency, and which ones need attention if you pass them on.",
        "kafka-topology itself is under Apache-2.0. `make sbom` writes this list with hashes, as CycloneDX 1.6, to",
        "`build/sbom.cdx.json`.",
        "The wheel contains none of these: pip, Maven and Go bring them to whoever installs it.",
        "",
        "## Need attention",
        "| part | licence | why |",
        "|---|---|---|",
    ]
    for part in (part for each in by_kind.values() for part in each):
        reason = next((why for name, why in ATTENTION.items() if part.licence.startswith(name)), "")
        if not is_spdx(part.licence):
            reason = "the licence is not named in SPDX's words; read it"
        if reason:
            where = " (tests and tools only)" if part.tests_only else ""
            lines.append(f"| {part.name} {part.version}{where} | {part.licence or 'unknown'} | {reason} |")
    for kind, each in by_kind.items():
        lines += ["", f"## {kind}s", "| name | version | licence | for |", "|---|---|---|---|"]
        lines += [f"| {part.name} | {part.version} | {part.licence or 'unknown'} | {_purpose(part)} |" for part in each]
    return "\n".join(lines) + "\n"


def _purpose(part: Part) -> str:
    return "tests and tools" if part.tests_only else "use"


def problems(found: list[Part]) -> list[str]:
    said = []
    if json.loads(COLLECTED.read_text(encoding="utf-8"))["sources"] != sources_digest():
        said.append("tools/supply/collected.json: jars or Go modules changed; run tools/supply/collect.py")
    if not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != page(found):
        said.append("docs/licences.md: out of date; run make generate")
    return said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 if the page is out of date")
    parser.add_argument("--sbom", type=Path, metavar="FILE", help="write a CycloneDX document")
    given = parser.parse_args()
    found = parts()
    if given.sbom is not None:
        given.sbom.parent.mkdir(parents=True, exist_ok=True)
        given.sbom.write_text(json.dumps(sbom(found), indent=2) + "\n", encoding="utf-8")
        print(f"{len(found)} components: {given.sbom}")
        return 0
    if given.check:
        print("\n".join(said := problems(found)), end="\n" if said else "", file=sys.stderr)
        return 1 if said else 0
    PAGE.write_text(page(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
