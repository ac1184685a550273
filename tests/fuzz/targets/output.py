"""Whatever names and texts hold, a terminal, a runner and a browser obey none of it, and documents stay well-formed.

Every command writes to a stream that is a terminal's, or a job's log, as the executable sets it up.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ET
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from fuzz.texts import documents
from kafka_topology.cli.main import main
from kafka_topology.cli.streams import Guarded

SHARE = 0.1
# A mark, `zq`, says that what is found came from the file.
HOSTILE = [
    "\x1b[2J", "\x1b]0;zq\x07", "\x9b1A", "\r", "\x08", "\u202e", "\u2066", "\u200f", "\u2028", "\x85", "\x00", "\n",
    "::add-mask::zq", "\n::set-env name=zq::b", "##[add-path]zq", "##vso[task.zq]", "\n  ::error::zq", "%0A::error::zq",
    "<zq>", "</script><zq>", "</title><zq>", "</style><zq>", "-->", "<!--", "]]>", "&lt;zq&gt;",
    '" onzq="1', "' onzq='1",
    "[zq](javascript:zq)", "![zq](https://zq.example/zq)", "javascript:zq", "@zq", "|", "`", "```\n", "\n# zq\n",
    "&#60;zq>",
    "a", " ", "${each}", "{{zq}}", "click x href \"javascript:zq\"",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(HOSTILE) | st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4).map(
    "".join
)
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
COMMAND = re.compile(r"^\s*::(?!(error|warning|notice) [\w=.,/%-]+)|##(vso)?\[", re.MULTILINE)
OF_FINDINGS = ("text", "github", "gitlab", "markdown", "json", "sarif", "junit")
COMMANDS = [
    *(("validate", "t.yaml", "--format", name) for name in OF_FINDINGS),
    *(("diff", "old.yaml", "t.yaml", "--format", name) for name in ("text", "github", "markdown", "json", "page")),
    *(("review", "t.yaml", "--base", "HEAD", "--format", name) for name in ("text", "github", "markdown")),
    *(("graph", "t.yaml", "--format", name) for name in ("mermaid", "svg", "json")),
    *(("clients", "t.yaml"), ("clients", "t.yaml", "--format", "json"), ("show", "t.yaml")),
    ("show", "t.yaml", "--acls"),
    *(("fmt", "t.yaml", "--diff"), ("report", "t.yaml", "--output", "-")),
]  # fmt: skip


@cache
def _folder() -> tuple[tempfile.TemporaryDirectory[str], Path]:
    held = tempfile.TemporaryDirectory()
    folder = Path(held.name)
    (folder / "old.yaml").write_text("version: 1\ntopics: {orders: {partitions: 6, replication: 3, owner: a}}\n")
    git = ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@example.com"]
    for command in (["init", "-q"], ["add", "old.yaml"], ["commit", "-qm", "old"]):
        subprocess.run([*git, *command], check=True)
    return held, folder


@st.composite
def hostile_documents(draw: st.DrawFn) -> str:
    """As JSON, which is YAML. A name is replaced wherever it is, so references still lead somewhere."""
    document = draw(documents())
    text = json.dumps(document, default=str)
    names = sorted({each for each in _texts(document) if each not in _FIELDS})
    for _ in range(draw(st.integers(1, 3)) if names else 0):
        text = text.replace(json.dumps(draw(st.sampled_from(names))), json.dumps(draw(TEXTS)))
    return text


_FIELDS = {"version", "topics", "producers", "consumerGroups", "cluster", "environments", "partitions", "replication"}


def _texts(document: Any) -> list[str]:
    match document:
        case str():
            return [document]
        case dict():
            return [each for pair in document.items() for part in pair for each in _texts(part)]
        case list():
            return [each for part in document for each in _texts(part)]
    return []


class _Page(HTMLParser):
    """What a browser would take as an element, a handler or an address of code."""

    def __init__(self) -> None:
        super().__init__()
        self.obeyed: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag.startswith("zq"):
            self.obeyed.append(tag)
        for name, value in attrs:
            if name.startswith("onzq") or (value or "").strip().lower().startswith("javascript:"):
                self.obeyed.append(f"{name}={value}")


def _said(arguments: tuple[str, ...], *, in_a_job: bool) -> str:
    """What the executable would print for these arguments."""
    raw = io.BytesIO()
    stream = Guarded(raw, encoding="utf-8", errors="backslashreplace", write_through=True)
    stream.in_a_job = in_a_job
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream), contextlib.suppress(SystemExit):
        main(list(arguments), prog_name="kafka-topology")
    stream.flush()
    return raw.getvalue().decode()


@given(text=hostile_documents(), arguments=st.sampled_from(COMMANDS), in_a_job=st.booleans())
@example(
    text='{"version": 1, "topics": {"<zq>": {"partitions": 1, "replication": 1, "owner": "\\n::add-mask::zq"}}}',
    arguments=("validate", "t.yaml"),
    in_a_job=True,
)
def fuzz_commands(text: str, arguments: tuple[str, ...], in_a_job: bool) -> None:
    _, folder = _folder()
    (folder / "t.yaml").write_text(text, encoding="utf-8")
    with contextlib.chdir(folder):
        said = _said(arguments, in_a_job=in_a_job)
    assert OBEYED.findall(said) == []
    if in_a_job:
        assert COMMAND.findall(said) == []


FILES = [
    *(("validate", "t.yaml", "--format", f"{name}=out") for name in OF_FINDINGS[1:]),
    *(("diff", "old.yaml", "t.yaml", "--format", f"{name}=out") for name in ("markdown", "json")),
    *(("review", "t.yaml", "--base", "HEAD", "--format", f"{name}=out") for name in ("markdown", "json", "page")),
    *(("graph", "t.yaml", "--format", f"{name}=out") for name in ("svg", "json")),
    ("report", "t.yaml", "--output", "out"),
]


@given(text=hostile_documents(), arguments=st.sampled_from(FILES))
def fuzz_files(text: str, arguments: tuple[str, ...]) -> None:
    """Files that a browser shows, a host renders or a program reads."""
    _, folder = _folder()
    (folder / "t.yaml").write_text(text, encoding="utf-8")
    (folder / "out").unlink(missing_ok=True)
    with contextlib.chdir(folder):
        _said(arguments, in_a_job=False)
    if not (folder / "out").exists():
        return  # a topology that does not load has no page
    written = (folder / "out").read_text(encoding="utf-8")
    kind = arguments[-1].partition("=")[0]
    if kind in {"json", "sarif", "gitlab"}:
        json.loads(written)
        return
    assert OBEYED.findall(written) == []
    if kind in {"junit", "svg"}:
        ET.fromstring(written)  # noqa: S314 - written here
    if kind == "github":
        return  # for a runner, which renders no page
    page = _Page()
    page.feed(written)
    assert page.obeyed == []
    if kind == "markdown":
        assert "](javascript:" not in written
        assert "](https://zq" not in written
