"""The page around the sections: one file that loads nothing; its policy forbids the browser to load anything."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from kafka_topology.graph.svg import style as graph_style

from .html import Html, el, raw


def document(title: str, about: str, made_by: str, *, nav: Html, main: Html, details: Html) -> str:
    """The whole file. `details` are the articles of the panel that a click on a resource opens."""
    style = f"{graph_style()}\n{_asset('page.css')}"
    script = _asset("page.js")
    # Before the body is drawn: otherwise the browser lays out all details, only to hide them.
    first = 'document.documentElement.classList.add("js");'
    head = el(
        "head",
        raw('<meta charset="utf-8">'),
        el("meta", http_equiv="Content-Security-Policy", content=_policy(style, script, first)),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("meta", name="referrer", content="no-referrer"),
        el("title", title),
        raw(f"<style>{style}</style><script>{first}</script>"),
    )
    panel = el(
        "aside",
        el("h2", "Details"),
        el("button", "Close", type="button", class_="close js-only", aria_label="Close the details"),
        details,
        id="details",
        aria_label="Details of resources",
    )
    body = el(
        "body",
        el("a", "Skip to the content", href="#main", class_="skip"),
        el("header", el("h1", title), el("p", about, class_="subtitle")),
        el("nav", nav, aria_label="Sections"),
        el("main", main, id="main", tabindex="-1"),
        panel,
        el("footer", el("p", f"Made by {made_by}. This page loads nothing.")),
        raw(f"<script>{script}</script>"),
    )
    return f"<!doctype html>\n{el('html', head, body, lang='en')}\n"


def links(sections: dict[str, str]) -> Html:
    """A list of links to sections, by their ids."""
    return el("ul", *(el("li", el("a", shown, href=f"#{anchor}")) for anchor, shown in sections.items()))


def section(anchor: str, title: str, *children: Html | None) -> Html:
    titled = f"{anchor}-title"
    return el("section", el("h2", title, id=titled), *children, id=anchor, aria_labelledby=titled)


def _policy(style: str, *scripts: str) -> str:
    """The policy: allows only the style and scripts of this page, and no address."""
    return (
        f"default-src 'none'; style-src {_digest(style)}; script-src {' '.join(map(_digest, scripts))}; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
