"""The docs say what the product does, because it wrote them."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from kafka_topology.topology.language.document import CONSUMER_GROUP, PRODUCER, SECTIONS, TOPIC

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "tool", ["docs.py", "corpus.py", "architecture.py", "sdk.py", "catalogue/generate.py", "librdkafka.py", "pins.py"]
)
def test_what_is_generated_is_up_to_date(tool):
    command = [sys.executable, str(ROOT / "tools" / tool), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_output_in_a_guide_is_checked():
    tool = runpy.run_path(str(ROOT / "tools" / "docs.py"))
    guides = {file.relative_to(ROOT).as_posix(): file.read_text() for file in (ROOT / "docs").rglob("*.md")}
    with_outputs = {name: text.count("<!-- run:") for name, text in guides.items() if "<!-- run:" in text}
    assert with_outputs.keys() == set(tool["GUIDES"])
    # A comment that the tool does not read would leave its block unchecked.
    assert {name: len(tool["_RUN"].findall(guides[name])) for name in with_outputs} == with_outputs


def test_the_reference_has_every_field_with_its_meaning():
    text = (ROOT / "docs" / "reference.md").read_text()
    for field in (*SECTIONS, *TOPIC.fields, *PRODUCER.fields, *CONSUMER_GROUP.fields):
        assert re.search(rf"^\| `{field.name}` \|.*\| {re.escape(field.doc)} \|$", text, re.MULTILINE), field.name


def test_every_link_within_the_reference_leads_somewhere():
    text = (ROOT / "docs" / "reference.md").read_text()
    headings = {line[3:].lower().replace("'", "").replace(" ", "-") for line in text.splitlines() if line[:3] == "## "}
    links = set(re.findall(r"\]\(#([^)]+)\)", text))
    assert links
    assert links <= headings


def test_the_first_topology_of_the_guide_is_the_example():
    guide = (ROOT / "docs" / "language.md").read_text()
    shown = guide.split("```yaml\n")[1].split("```")[0]
    assert shown in (ROOT / "examples" / "minimal" / "topology.yaml").read_text()


def test_the_tutorial_shows_what_its_commands_print():
    tool = runpy.run_path(str(ROOT / "tools" / "tutorial.py"))
    page = tool["PAGE"].read_text()
    assert page.count("<!-- in the pull request -->") == 2
    assert tool["followed"](page) == page


def _pages():
    return [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")] + sorted(
        (ROOT / "docs").rglob("*.md")
    )


def _anchors(page):
    """The anchors that a code host gives the headings of a page."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", _pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_of_a_page_leads_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        if anchor:
            assert anchor in _anchors(file), target


def test_the_index_names_every_page():
    index = (ROOT / "docs" / "README.md").read_text()
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "README.md" or f"({page.name})" in index, page.name
