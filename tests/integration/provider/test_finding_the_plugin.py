"""The engine finds the plugin by `PulumiPlugin.yaml`, as it does by a folder and on PATH.

A folder with the executable is what every other project of these tests has, and `test_pulumi_python` has it on PATH.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from uuid import uuid4

import yaml
from pulumi_project import PulumiProject

FOLDER = Path(__file__).parents[3] / "plugin"


def test_a_language_host_starts_the_plugin_that_a_file_describes(kafka, tmp_path):
    project = PulumiProject(tmp_path / "project", kafka.bootstrap_servers)
    settings = yaml.safe_load((project.root / "Pulumi.yaml").read_text())
    settings["plugins"]["providers"] = [{"name": "kafka-topology", "path": "plugin"}]
    (project.root / "Pulumi.yaml").write_text(yaml.safe_dump(settings))
    folder = project.root / "plugin"
    shutil.copytree(FOLDER, folder)
    description = yaml.safe_load((folder / "PulumiPlugin.yaml").read_text())
    assert description["runtime"]["options"]["virtualenv"] == "../.venv"
    (project.root / ".venv").symlink_to(Path(sys.executable).parents[1])
    main = (folder / "__main__.py").read_text()
    (folder / "__main__.py").write_text(f"open({str(tmp_path / 'started')!r}, 'w').close()\n{main}")

    name = f"found-{uuid4().hex[:8]}"
    project.topics = {name: {"partitions": 1, "replication": 1, "deletion": "allowed"}}
    project.up()
    assert (tmp_path / "started").exists()
    project.up("--expect-no-changes")
    project.destroy()
