"""The typed SDKs, made by Pulumi's own generators: the one for Python is checked in, all compile."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from modules import module_at

from kafka_topology.provider.plugin.schema import schema
from kafka_topology.provider.resources.descriptor import installed_kinds

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture(scope="module")
def tool():
    return module_at(TOOLS / "sdk.py")


def test_the_python_sdk_is_what_the_generator_makes_of_the_schema(tool):
    assert tool.checked_in() == tool.python_sdk()


def test_an_edited_file_and_another_schema_are_found_without_the_generator(tool, monkeypatch, tmp_path, capsys):
    assert tool.main(["--check"]) == 0
    seal = tmp_path / "sdk.json"
    monkeypatch.setattr(tool, "SEAL", seal)
    files = tool.checked_in()
    for other in ({**files, "topic.py": "edited"}, {k: v for k, v in files.items() if k != "topic.py"}):
        seal.write_text(tool.json.dumps(tool.seal(other)))
        assert tool.main(["--check"]) == 1
    assert "run make generate" in capsys.readouterr().err


def test_the_go_sdk_compiles(tool, tmp_path):
    tool.generate("go", tmp_path)
    # With the versions that the Pulumi CLI is built from, so that what is compiled already is used.
    module = (TOOLS / "pulumi" / "go.mod").read_text()
    module = re.sub(r"^tool .*$", "", module, flags=re.MULTILINE)
    (tmp_path / "go.mod").write_text(
        module.replace("module kafka-topology/tools/pulumi", "module kafka-topology/sdk/go")
    )
    (tmp_path / "go.sum").write_text((TOOLS / "pulumi" / "go.sum").read_text())
    command = ["go", "build", "-mod=mod", "-tags", tool._TAGS, "./..."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_node_sdk_has_every_class(tool, tmp_path):
    tool.generate("nodejs", tmp_path)
    index = (tmp_path / "index.ts").read_text()
    kinds = {token.rpartition(":")[2] for token in schema()["resources"]}
    assert kinds == {"Topology", *installed_kinds()}  # a whole topology is no kind: it is made of the others
    for kind in ("Provider", *kinds):
        assert f"export const {kind}: typeof import(" in index
