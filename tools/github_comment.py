"""A Markdown comment as GitHub shows it: close enough for a picture in the docs."""

from __future__ import annotations

import html
import re
from collections import Counter

from markdown_it import MarkdownIt

# Drawn, because not every machine has a font with these signs.
# Signs that a machine without a font for emoji shows as an empty box.
_MARKS = {"❌": ("✘", "#cf222e"), "✅": ("✔", "#2da44e")}
_CIRCLES = {"🔴": "#cf222e", "🟠": "#e36209", "🟡": "#dbab09", "🟢": "#2da44e"}
_STYLE = """
body { margin: 0; padding: 16px; background: #fff; color: #1f2328;
  font: 14px/1.5 "DejaVu Sans", "Segoe UI", Helvetica, Arial, sans-serif; }
.comment { border: 1px solid #d1d9e0; border-radius: 6px; }
.head { background: #f6f8fa; border-bottom: 1px solid #d1d9e0; border-radius: 6px 6px 0 0; padding: 8px 16px;
  color: #59636e; font-size: 13px; }
.head b { color: #1f2328; }
.label { border: 1px solid #d1d9e0; border-radius: 2em; padding: 0 7px; font-size: 11px; margin: 0 4px; }
.body { padding: 4px 16px 12px; font-size: 13px; }
h3 { font-size: 16px; margin: 18px 0 12px; line-height: 1.25; }
table { border-collapse: collapse; width: 100%; margin: 0 0 12px; }
th, td { border: 1px solid #d1d9e0; padding: 6px 12px; text-align: left; vertical-align: top; }
th { font-weight: 600; background: #fff; }
tr:nth-child(2n) td { background: #f6f8fa; }
td:first-child { white-space: nowrap; }
code { font: 85% "DejaVu Sans Mono", ui-monospace, monospace; background: #818b981f; border-radius: 6px;
  padding: .2em .4em; white-space: nowrap; }
h3 code { font-size: 90%; }
sub { font-size: 75%; color: #59636e; }
.circle { display: inline-block; width: .85em; height: .85em; border-radius: 50%; vertical-align: -.06em; }
"""


# The conversation of a pull request in a window of 1,280 pixels, between the avatar and the side bar.
COLUMN = 840
_CHART = re.compile(r'<pre><code class="language-mermaid">(.*?)</code></pre>', re.DOTALL)
_EDGE = re.compile(r"^ +(\w+) -\S*->? ?(?:\|.*?\| ?)?(\w+)$", re.MULTILINE)
_NODE = re.compile(r"^ +(\w+)[\[({]", re.MULTILINE)
# Mermaid's own distance between nodes above each other, and the height of one with a line of text.
_NODE_AND_GAP = 50 + 54


def as_html(markdown: str) -> str:
    """The page with the comment; a Mermaid chart and what follows it are left out, for GitHub draws them itself."""
    return _page(markdown.split("### What changes", maxsplit=1)[0])


def in_full(markdown: str) -> str:
    """The page with the whole comment in a column as wide as GitHub's. A box as high as a chart stands for it."""
    return _page(markdown).replace("<style>", f"<style>.comment {{ width: {COLUMN}px; }} ", 1)


def chart_height(chart: str) -> int:
    """Of a chart from left to right, in pixels: as many nodes as its fullest column has. GitHub shrinks wide ones."""
    nodes, edges = _NODE.findall(chart), _EDGE.findall(chart)
    column = dict.fromkeys(nodes, 0)
    for _ in nodes:  # the longest way to each node; a circle ends after as many rounds as there are nodes
        for start, end in edges:
            if start in column and end in column:
                column[end] = max(column[end], min(column[start] + 1, len(nodes)))
    fullest = max(Counter(column.values()).values(), default=0)
    return fullest * _NODE_AND_GAP


def _page(markdown: str) -> str:
    body = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)
    body = _CHART.sub(lambda found: f'<div style="height: {chart_height(html.unescape(found[1]))}px">chart</div>', body)
    for sign, colour in _CIRCLES.items():
        body = body.replace(sign, f'<span class="circle" style="background: {colour}"></span>')
    for sign, (mark, colour) in _MARKS.items():
        body = body.replace(sign, f'<span style="color: {colour}">{mark}</span>')
    return (
        f'<!doctype html><meta charset="utf-8"><title>review</title><style>{_STYLE}</style><div class="comment">'
        '<div class="head"><b>github-actions</b><span class="label">bot</span> commented</div>'
        f'<div class="body">{body}</div></div>'
    )
