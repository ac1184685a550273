"""The comments in docs/reviews.md, drawn in a browser as GitHub draws them: none is longer than two screens."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
WIDTH, HEIGHT = 1280, 800
SCREENS = 2.0


def tool(name: str) -> ModuleType:
    folder = str(ROOT / "tools")
    if folder not in sys.path:
        sys.path.append(folder)  # it imports its neighbours
    return importlib.import_module(name)


COMMENTS = tool("review_examples").comments_of((ROOT / "docs" / "reviews.md").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def height(tmp_path_factory) -> Iterator:
    """How many screens a comment fills. What is folded counts closed."""
    page = tmp_path_factory.mktemp("comments") / "comment.html"
    with tool("browser").Browser() as browser:
        browser.emulate(WIDTH, HEIGHT)

        def measured(comment: str) -> float:
            page.write_text(tool("github_comment").in_full(comment), encoding="utf-8")
            browser.open(page.as_uri())
            return browser.evaluate("document.querySelector('.comment').getBoundingClientRect().height") / HEIGHT

        yield measured


def test_there_are_ten():
    assert len(COMMENTS) == 10
    assert all(comment.startswith("<!-- kafka-topology:review") for comment in COMMENTS.values())


@pytest.mark.parametrize("title", COMMENTS)
def test_a_comment_is_no_longer_than_two_screens(title, height):
    screens = height(COMMENTS[title])
    print(f"{title}: {screens:.2f} screens")
    assert 0.2 < screens <= SCREENS


def test_a_long_comment_would_be_found_and_what_is_folded_counts_closed(height):
    longest = max(COMMENTS.values(), key=len)
    row = "\n\n".join("one more paragraph" for _ in range(60))
    assert height(f"{longest}\n{row}") > SCREENS
    folded = height(f"{longest}\n\n<details><summary>more</summary>\n\n{row}\n\n</details>")
    assert folded - height(longest) < 0.1


def test_a_chart_is_as_high_as_its_fullest_column():
    chart_height = tool("github_comment").chart_height
    one = chart_height('flowchart LR\n  n0["a"]:::same\n')
    assert chart_height('flowchart LR\n  n0["a"]\n  n1("b")\n  n0 --> n1\n') == one
    assert chart_height('flowchart LR\n  n0["a"]\n  n1("b")\n  n2("c")\n  n0 --> n1\n  n0 --> n2\n') == 2 * one
    assert chart_height('flowchart LR\n  n0["a"]\n  n1("b")\n  n0 --> n1\n  n1 --> n0\n') >= one
