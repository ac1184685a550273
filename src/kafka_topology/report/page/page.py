"""Builds the page: one file that loads nothing; its policy forbids the browser to load anything."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from kafka_topology.graph.svg import style as graph_style

from .audit_section import audit
from .check_section import checks
from .details import all_details
from .html import Html, el, raw
from .sections import access, findings, graph, resources, summary
from .subject import Subject

_LINKS = (
    ("summary", "Summary"), ("graph", "Graph"), ("findings", "Findings"), ("audit", "Audit"),
    ("checks", "Record checks"), ("access", "Access"), ("resources", "Resources"),
)  # fmt: skip


def render(subject: Subject) -> str:
    style = f"{graph_style()}\n{_asset('page.css')}"
    script = _asset("page.js")
    details = all_details(subject)  # first, because the other sections link to them
    name = subject.topology.cluster.name or subject.run.path(subject.run.subject)
    title = f"Kafka topology {name}"
    head = el(
        "head",
        raw('<meta charset="utf-8">'),
        el("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("meta", name="referrer", content="no-referrer"),
        el("title", title),
        raw(f"<style>{style}</style>"),
    )
    return f"<!doctype html>\n{el('html', head, _body(subject, title, details, script), lang='en')}\n"


def _body(subject: Subject, title: str, details: Html, script: str) -> Html:
    environment = subject.topology.environment
    about = f"{subject.run.path(subject.run.subject)}{f', environment {environment}' if environment else ''}"
    links = (el("li", el("a", shown, href=f"#{name}")) for name, shown in _LINKS)
    sections = (
        summary(subject), graph(subject), findings(subject), audit(subject), checks(subject.checks),
        access(subject), resources(subject),
    )  # fmt: skip
    panel = el(
        "aside",
        el("h2", "Details"),
        el("button", "Close", type="button", class_="close js-only", aria_label="Close the details"),
        details,
        id="details",
        aria_label="Details of resources",
    )
    return el(
        "body",
        el("a", "Skip to the content", href="#summary", class_="skip"),
        el("header", el("h1", title), el("p", about, class_="subtitle")),
        el("nav", el("ul", *links), aria_label="Sections"),
        el("main", *sections, id="main"),
        panel,
        el("footer", el("p", "Made by kafka-topology report. This page loads nothing.")),
        raw(f"<script>{script}</script>"),
    )


def _policy(style: str, script: str) -> str:
    """The policy: allows only the style and script of this page, and no address."""
    return (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
