"""Builds the page of a topology, in one environment or in several."""

from __future__ import annotations

from collections.abc import Sequence

from . import details
from .audit_section import audit
from .check_section import checks
from .drawing import graph
from .environments import overview
from .markup.document import document, links
from .markup.html import Html, el, join
from .sections import access, findings, resources, summary
from .subject import Subject

_SECTIONS = {
    "summary": ("Summary", summary),
    "graph": ("Graph", graph),
    "findings": ("Findings", findings),
    "audit": ("Audit", audit),
    "checks": ("Record checks", checks),
    "access": ("Access", access),
    "resources": ("Resources", resources),
}


def render(*subjects: Subject) -> str:
    """The page. Several subjects are the environments of one topology; each needs a prefix of its own."""
    first = subjects[0]
    room = details.MAX_BYTES // len(subjects)
    # First, because the other sections link to them.
    articles = join(*(details.all_details(subject, room) for subject in subjects))
    path = first.run.path(first.run.subject)
    about = f"{path}{_environments(subjects)}"
    title = f"Kafka topology {first.topology.cluster.name or path}"
    if len(subjects) == 1:
        nav, main = _nav(first), _sections(first)
    else:
        chooser = links({"environments": "Environments"} | {_id(each): each.environment for each in subjects})
        parts = (el("div", _nav(each), data_environment=_id(each)) for each in subjects)
        nav = join(el("div", chooser, class_="chooser"), *parts)
        main = join(overview(subjects), *(_environment(each) for each in subjects))
    return document(title, about, "kafka-topology report", nav=nav, main=main, details=articles)


def _environments(subjects: Sequence[Subject]) -> str:
    names = [subject.topology.environment for subject in subjects if subject.topology.environment]
    if not names:
        return ""
    return f", environment{'s' if len(names) > 1 else ''} {', '.join(names)}"


def _id(subject: Subject) -> str:
    return subject.anchor("environment")


def _nav(subject: Subject) -> Html:
    return links({subject.anchor(name): title for name, (title, _) in _SECTIONS.items()})


def _sections(subject: Subject) -> Html:
    return join(*(make(subject) for _, make in _SECTIONS.values()))


def _environment(subject: Subject) -> Html:
    title = f"Environment {subject.environment}"
    return el(
        "div",
        el("p", title, class_="environment-title", role="heading", aria_level="2"),
        _sections(subject),
        id=_id(subject),
        class_="environment",
        role="group",
        aria_label=title,
    )
