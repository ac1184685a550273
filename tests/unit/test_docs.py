"""The docs say what the product does, because it wrote them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from kafka_topology.topology.language import CONSUMER_GROUP, PRODUCER, SECTIONS, TOPIC

ROOT = Path(__file__).parents[2]


def test_the_reference_and_the_output_in_the_guide_are_up_to_date():
    command = [sys.executable, str(ROOT / "tools" / "docs.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_reference_has_every_field_with_its_meaning():
    text = (ROOT / "docs" / "reference.md").read_text()
    for field in (*SECTIONS, *TOPIC.fields, *PRODUCER.fields, *CONSUMER_GROUP.fields):
        assert re.search(rf"^\| `{field.name}` \|.*\| {re.escape(field.doc)} \|$", text, re.MULTILINE), field.name


def test_every_link_within_the_reference_leads_somewhere():
    text = (ROOT / "docs" / "reference.md").read_text()
    headings = {line[3:].lower().replace("'", "").replace(" ", "-") for line in text.splitlines() if line[:3] == "## "}
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= headings


def test_the_first_topology_of_the_guide_is_the_example():
    guide = (ROOT / "docs" / "language.md").read_text()
    shown = guide.split("```yaml\n")[1].split("```")[0]
    assert shown in (ROOT / "examples" / "minimal" / "topology.yaml").read_text()
