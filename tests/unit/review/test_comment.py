"""The comment on a pull request: links, fits, renders, and lets nothing in a name act."""

from __future__ import annotations

import re
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from kafka_topology.graph.mermaid import label
from kafka_topology.report.escaping import code, text
from kafka_topology.report.review.fitting import LIMIT, Block, fitted
from kafka_topology.report.review.json_review import render
from kafka_topology.report.review.markdown import Comment, mark
from kafka_topology.report.review.mermaid import MOST_NODES, changed_flowchart
from kafka_topology.review.graph import ChangedGraph, Node
from kafka_topology.review.result import Review
from kafka_topology.review.run import Pair, review_pair
from kafka_topology.topology import Topology, load

SHOP = Path(__file__).parents[3] / "topology"
HOSTILE = "a|b`c`</details><script>alert(1)</script> @everyone #1 [x](http://evil.example) **bold** ![i](y) $x$"


def html(markdown: str) -> str:
    return MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)


def loaded(path: Path, environment: str | None = None) -> Topology:
    result = load(path, environment)
    assert result.topology is not None, result.problems
    return result.topology


def review_of(before: Topology | None, after: Topology) -> Review:
    return Review(subject="topology", base="main", head="topology", reviews=(review_pair(Pair(None, before, after)),))


@pytest.fixture
def shop_review(tmp_path) -> Review:
    """Many changes of the largest example at once."""
    changed = tmp_path / "shop"
    shutil.copytree(SHOP, changed)
    edits = {
        "checkout.yaml": (
            ("partitions: 12", "partitions: 24"),
            ("members: 2", "members: 9"),
            ("type: uuid", "type: string"),
        ),
        "cluster.yaml": (
            ("retention: 7d", "retention: 1d"),
            ("min.insync.replicas: 2", "min.insync.replicas: 3"),
            ("cleanup.policy: compact", "cleanup.policy: [compact, delete]"),
            ("brokers: 6", "brokers: 3"),
        ),
        "logistics.yaml": (("visibility: public", "visibility: private"), ("members: 3", "members: 4")),
        "access.yaml": (("operations: [Describe]", "operations: [Describe, Read]"), ("5MB/s", "1MB/s")),
    }  # fmt: skip
    for name, pairs in edits.items():
        file = changed / name
        told = file.read_text()
        for old, new in pairs:
            assert old in told, (name, old)
            told = told.replace(old, new, 1)
        file.write_text(told)
    return review_of(loaded(SHOP), loaded(changed))


def well_formed(comment: str) -> None:
    """Nothing is left open: folds, fences, and every table row has as many cells as its head."""
    assert comment.count("<details>") == comment.count("</details>")
    assert comment.count("\n```") % 2 == 0
    columns = None
    for line in comment.splitlines():
        if not line.startswith("|"):
            columns = None
            continue
        columns = columns or line.count("|")
        assert line.count("|") == columns, line[:200]
        assert line.endswith("|")


def test_the_comment_of_the_largest_example_fits_and_renders(shop_review):
    comment = Comment(lambda at: f"https://example.com/blob/{at.file}#L{at.line}").render(shop_review)
    assert len(comment.encode()) < LIMIT
    assert "Cut to fit" not in comment
    assert comment.startswith(mark())
    well_formed(comment)
    shown = html(comment)
    assert shown.count("<table>") >= 3
    assert "destructive" in shown
    assert "```" not in shown
    assert 'class="language-mermaid"' in shown
    assert re.search(r'href="https://example.com/blob/[^"]+checkout.yaml#L10"', shown)
    assert "50% of the keys" in shown


@pytest.mark.parametrize("limit", [3_000, 6_000, 9_000])
def test_a_cut_comment_stays_whole_and_says_what_is_missing(shop_review, limit):
    assert len(Comment().render(shop_review).encode()) > limit
    comment = Comment(limit=limit).render(shop_review)
    assert len(comment.encode()) <= limit
    assert "**Cut to fit.** Not shown: " in comment
    well_formed(comment)
    assert comment.startswith(mark())


def test_a_comment_that_fits_is_not_cut(shop_review):
    whole = Comment().render(shop_review)
    size = len(whole.encode()) + 1  # with the blank line at its end, which counts until it is stripped
    assert Comment(limit=size).render(shop_review) == whole
    assert "Cut to fit" in Comment(limit=size - 1).render(shop_review)


def test_thousands_of_changes_fit():
    changes = "topics: {" + ", ".join(f"shop.t{n}: {{partitions: 6, replication: 3}}" for n in range(3000)) + "}"
    before = changes.replace("partitions: 6", "partitions: 12")
    review = review_of(from_text(before), from_text(changes))
    comment = Comment().render(review)
    assert len(review.changes) == 3000
    assert len(comment.encode()) <= LIMIT
    assert "Cut to fit" in comment
    well_formed(comment)


def from_text(written: str) -> Topology:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "t.yaml"
        file.write_text(f"version: 1\n{written}\n")
        return loaded(file)


def test_nothing_in_a_description_or_a_name_acts():
    before = from_text("topics: {a: {partitions: 3, replication: 3, owner: x}}")
    after = from_text(f"topics: {{a: {{partitions: 3, replication: 3, owner: {HOSTILE!r}, description: {HOSTILE!r}}}}}")
    comment = Comment().render(review_of(before, after))
    well_formed(comment)
    shown = html(comment)
    assert "&lt;script&gt;alert(1)" in shown
    assert "<script" not in shown
    assert "<strong>bold" not in shown
    assert "<img" not in shown
    assert 'href="http://evil' not in shown
    assert "@everyone" not in shown  # a space of no width follows the sign, so nobody is called
    assert "</details>" not in shown.split("<details>")[0]


@pytest.mark.parametrize("value", [HOSTILE, "a\nb", "x\u202eevil", "a\u200bb", "\\|", "&lt;", "www.example.com"])
def test_escaped_text_is_one_line_of_plain_text(value):
    for shown in (text(value), code(value)):
        assert "\n" not in shown
        rendered = html(f"| {shown} |\n|---|\n")
        assert rendered.count("<th>") == 1
        assert "<a " not in rendered


def test_a_label_of_the_graph_cannot_leave_its_quotes():
    assert re.fullmatch(r"(?:[\w .,:/→…-]|#\d+;)*", label('x"]; click n0 "javascript:1"; <b>&#'))


def test_a_large_graph_is_cut_with_the_worst_kept():
    nodes = tuple(Node("topic", f"t{n}") for n in range(MOST_NODES + 10))
    chart, left_out = changed_flowchart(ChangedGraph(nodes))
    assert left_out == 10
    assert chart.count(":::same") == MOST_NODES


def test_secrets_are_masked_everywhere():
    config = "{ssl.key.password: hunter2-old, sasl.jaas.config: 'x required password=\"hunter2-jaas\";'}"
    topics = "topics: {a: {partitions: 3, replication: 3}}"
    before = from_text(f"{topics}\nproducers: {{w: {{topics: [a]}}}}")
    after = from_text(f"{topics}\nproducers: {{w: {{topics: [a], config: {config}}}}}")
    review = review_of(before, after)
    shown = Comment().render(review) + render(review)
    assert "ssl.key.password" in shown
    assert "hunter2" not in shown


def test_a_key_makes_the_mark_its_own_and_cannot_close_it():
    assert mark("prod") == "<!-- kafka-topology:review:prod -->"
    assert mark("a --> b") == "<!-- kafka-topology:review:a--b -->"


def test_a_version_that_cannot_be_read_has_a_comment_too(tmp_path):
    file = tmp_path / "t.yaml"
    file.write_text("version: 1\ntopics: {a: {partitons: 3}}\n")
    problems = load(file).problems
    review = Review(subject="t.yaml", base="main", head="t.yaml", reviews=(), unreadable=problems)
    comment = Comment().render(review)
    assert "the new version cannot be read as a topology" in comment
    assert "KT002" in comment
    well_formed(comment)


def test_what_could_not_be_checked_is_said(shop_review):
    comment = Comment().render(replace(shop_review, unread=("broker.example:9092 cannot be reached",)))
    assert "Could not check" in comment


def test_blocks_are_cut_by_priority():
    first = Block("first", ("# first",), tuple("x" * 100 for _ in range(30)), priority=1)
    second = Block("second", ("# second",), tuple("y" * 100 for _ in range(30)), priority=0)
    shown = fitted([first, second], 5_000)
    assert shown.index("# first") < shown.index("# second")
    assert shown.count("y" * 100) == 30
    assert 0 < shown.count("x" * 100) < 30
    assert "rows of first" in shown


def test_a_long_comment_keeps_the_errors_and_some_of_everything():
    """Hundreds of risky changes that are not alike, and errors: the errors are shown, then as many rows as fit."""
    topics = "".join(f"t{n}: {{partitions: 6, replication: 3, retention: {n + 300}d}}, " for n in range(600))
    bad = "worse: {partitions: 6, replication: 3, config: {min.insync.replicas: %d}}"
    before, after = (f"topics: {{{topics}{bad % isr}}}" for isr in (2, 3))
    for n in range(600):
        after = after.replace(f"retention: {n + 300}d", f"retention: {n + 200}h")
    comment = Comment().render(review_of(from_text(before), from_text(after)))
    assert "Cut to fit" in comment
    assert "worse: min.insync.replicas is 3" in comment
    assert comment.index("new error") < comment.index("| risk | team |")
    assert comment.count("🔴 destructive") > 20
    assert comment.splitlines()[1].startswith("### ❌")
