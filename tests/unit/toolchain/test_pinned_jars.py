"""Every pom in this repository has the SHA-256 of its jars beside it, and they are compared before a jar is used."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from client_matrix.builds import Unavailable, built, with_maven

from kafka_topology.toolchain.errors import ToolchainError
from kafka_topology.toolchain.pins import FILE, differing, read, refuse_differing

ROOT = Path(__file__).resolve().parents[3]
POMS = [
    *("src/kafka_topology/toolchain/kafka.pom.xml", "src/kafka_topology/toolchain/spark.pom.xml"),
    *("tests/clients/java/pom.xml", "tests/clients/constructors/pom.xml"),
    *("tests/lake/pom.xml", "tools/catalogue/pom.xml"),
]
MAVEN = """#!/bin/sh
for argument in "$@"; do
  case "$argument" in -DoutputDirectory=*) target="${argument#*=}";; esac
done
printf changed > "$target/kafka-clients-4.2.1.jar"
"""


def test_these_are_all_poms() -> None:
    found = {
        str(path.relative_to(ROOT)) for top in ("src", "tests", "tools") for path in (ROOT / top).rglob("*pom.xml")
    }
    assert found == set(POMS)


@pytest.mark.parametrize("pom", POMS)
def test_every_jar_that_a_pom_names_is_pinned(pom: str) -> None:
    pins = read((ROOT / pom).with_name(FILE).read_text())
    named = re.findall(r"<dependency>\s*<groupId>[^<]+</groupId>\s*<artifactId>([^<]+)<", (ROOT / pom).read_text())
    assert named
    for artifact in named:
        jars = [name for jars in pins.values() for name in jars if re.match(rf"{re.escape(artifact)}-\d", name)]
        assert jars, f"{artifact} has no hash in {FILE}"
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for jars in pins.values() for digest in jars.values())


def test_the_catalogue_has_hashes_for_each_kafka_that_it_reads() -> None:
    pins = read((ROOT / "tools/catalogue" / FILE).read_text())
    patches = re.findall(r'"\d\.\d+": "([\d.]+)"', (ROOT / "tools/catalogue/generate.py").read_text())
    assert [*pins] == [f"kafka-{patch}" for patch in patches]


def test_jars_of_any_folder_are_compared_by_name(tmp_path: Path) -> None:
    jar = tmp_path / "there" / "a.jar"
    jar.parent.mkdir()
    jar.write_text("a")
    pins = {"a.jar": hashlib.sha256(b"a").hexdigest()}
    assert differing([jar], pins) == []
    refuse_differing([jar], pins, "a thing")
    with pytest.raises(ToolchainError, match=r"a\.jar, b\.jar differ"):
        refuse_differing([jar], {"a.jar": "0" * 64, "b.jar": "0" * 64}, "a thing")


def test_a_client_with_a_changed_jar_is_not_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maven = tmp_path / "bin" / "mvn"
    maven.parent.mkdir()
    maven.write_text(MAVEN)
    maven.chmod(0o755)
    monkeypatch.setenv("PATH", f"{maven.parent}:/usr/bin:/bin")
    monkeypatch.setenv("KAFKA_TOPOLOGY_CACHE", str(tmp_path / "cache"))
    with pytest.raises(Unavailable, match=r"kafka-clients-4\.2\.1\.jar"):
        built("java", "java", with_maven)
    assert not list((tmp_path / "cache").rglob("*.jar"))
