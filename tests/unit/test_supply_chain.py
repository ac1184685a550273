"""The bill of materials is valid CycloneDX and names everything that is pinned; actions are pinned by commit."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
from referencing import Registry, Resource

ROOT = Path(__file__).resolve().parents[2]
GENERATE = ROOT / "tools/supply/generate.py"


@pytest.fixture(scope="module")
def sbom(tmp_path_factory):
    file = tmp_path_factory.mktemp("sbom") / "new" / "sbom.json"
    subprocess.run([sys.executable, GENERATE, "--sbom", file], check=True, capture_output=True)
    return json.loads(file.read_text())


def test_it_is_valid_cyclonedx(sbom):
    folder = resources.files("cyclonedx.schema") / "_res"
    schemas = {
        name: json.loads((folder / f"{stem}.SNAPSHOT.schema.json").read_text(encoding="utf-8"))
        for name, stem in (("bom", "bom-1.6"), ("spdx", "spdx"), ("jsf", "jsf-0.82"))
    }
    registry = Registry().with_resources((each["$id"], Resource.from_contents(each)) for each in schemas.values())
    validator = jsonschema.Draft7Validator(schemas["bom"], registry=registry)
    assert [error.message[:300] for error in validator.iter_errors(sbom)] == []
    assert list(validator.iter_errors({**sbom, "components": [{"type": "library"}]})), (
        "a part without a name is refused"
    )


def test_it_names_everything_that_is_pinned(sbom):
    purls = {each["purl"] for each in sbom["components"]}
    digests = {each["content"] for part in sbom["components"] for each in part["hashes"]}
    pinned = re.findall(r"^([a-z0-9._-]+)==([^ \n]+)", (ROOT / "requirements/dev.txt").read_text(), re.MULTILINE)
    assert {f"pkg:pypi/{name}@{version}" for name, version in pinned} <= purls
    jars = (ROOT / "src/kafka_topology/toolchain/jars.sha256").read_text().splitlines()
    assert {line.split()[0] for line in jars} <= digests
    assert {"pkg:golang/github.com/pulumi/pulumi/pkg/v3@v3.259.0", "pkg:npm/kafkajs@2.2.4"} <= purls
    assert all(part["hashes"] and part["version"] for part in sbom["components"])


def test_the_page_of_licences_is_what_is_pinned():
    done = subprocess.run([sys.executable, GENERATE, "--check"], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_actions_are_named_by_commit():
    """A tag can be moved by whoever owns the action. `@COMMIT` asks the reader for one."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    texts = [ROOT / name for name in tracked.splitlines() if Path(name).suffix in {".py", ".yml", ".yaml", ".md"}]
    used = [
        found
        for file in texts
        if file.is_file() and "tests" not in file.relative_to(ROOT).parts
        for found in re.findall(r"""["\s]([\w.-]+/[\w./-]+@[\w.]+)(?= #|\s|")""", file.read_text(encoding="utf-8"))
        if re.match(r"(actions|github|pulumi)/", found)
    ]
    assert len(used) > 8
    assert [each for each in used if not re.search(r"@([0-9a-f]{40}|COMMIT)$", each)] == []
