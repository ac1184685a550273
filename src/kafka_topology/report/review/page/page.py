"""Builds the page of a change."""

from __future__ import annotations

from kafka_topology.review.changes import Risk
from kafka_topology.review.result import Review, at_one_place
from kafka_topology.topology import Severity
from kafka_topology.topology.model.words import agreeing, counted, listed

from ...page.markup.document import document, links, section
from ...page.markup.html import Html, el, join, name
from ..formats import Presented
from ..load_words import changed_what_ifs
from ..words import WORST_FIRST, notes_of, summary, verdict
from .graphs import DrawnChange, drawn_changes
from .tables import changes_table, findings_table

_SIGNS = "\u274c\u26a0\ufe0f\u2705 "
_TONES = {Risk.DESTRUCTIVE: "error", Risk.BREAKING: "error", Risk.CARE: "warning", Risk.SAFE: "fine"}


def render(presented: Presented) -> str:
    review = presented.review
    drawn = drawn_changes(review, presented.address)
    parts = {
        "summary": ("Summary", _summary(review)),
        "changes": ("Changes", changes_table(presented, drawn)),
        "graph": ("Graph", _graphs(drawn, review)),
        "findings": ("New findings", findings_table(presented)),
        "what-if": ("What if", _what_if(review)),
        "drift": ("Drift", _drift(review)),
    }
    shown = {anchor: (title, body) for anchor, (title, body) in parts.items() if body is not None}
    return document(
        f"Change of {review.subject}",
        _about(review),
        "kafka-topology",
        nav=links({anchor: title for anchor, (title, _) in shown.items()}),
        main=join(*(section(anchor, title, body) for anchor, (title, body) in shown.items())),
        details=join(*(each.details for each in drawn)),
    )


def _about(review: Review) -> str:
    environments = [each for each in review.environments if each]
    of = f", {agreeing(len(environments), 'environment', 'environments')} {', '.join(environments)}"
    return f"{summary(review)}{of if environments else ''}"


def _summary(review: Review) -> Html:
    unread = [el("li", problem) for problem in review.could_not_check]
    return join(
        el("p", _verdict(review), class_="verdict", data_value=_tone(review)),
        el("p", "Could not check:", class_="verdict", data_value="error") if unread else None,
        el("ul", *unread, class_="unread") if unread else None,
        *(el("p", note, class_="limit") for note in notes_of(review)),
        el("ul", *_cards(review), class_="cards"),
        _approvers(review),
    )


def _verdict(review: Review) -> str:
    """In words: not every screen shows the signs of the other formats, nor does everybody see colours."""
    said = verdict(review).lstrip(_SIGNS)
    if review.fails or review.unreadable:
        return f"Fails: {said}"
    return said if review.could_not_check else f"Passes: {said}"


def _tone(review: Review) -> str:
    """Fine only if nothing fails, everything was checked, and nothing has a risk, accepted or not."""
    if review.fails or review.unreadable:
        return "error"
    if review.could_not_check or review.risk is None:
        return "warning"
    left = next((risk for risk in WORST_FIRST if review.causes(risk, accepted=False)), Risk.SAFE)
    return _TONES[left] if left is not Risk.SAFE or not _accepted(review) else "warning"


def _accepted(review: Review) -> int:
    return sum(review.causes(risk, accepted=True) for risk in Risk)


def _cards(review: Review) -> list[Html]:
    cards = []
    for risk in WORST_FIRST:
        number = review.causes(risk, accepted=False)
        change = agreeing(number, "change", "changes")
        said = f"{change} {agreeing(number, 'needs', 'need')} care" if risk is Risk.CARE else f"{risk} {change}"
        cards.append(el("li", el("b", f"{number:,}"), " ", said, data_value=_TONES[risk] if number else None))
    accepted = _accepted(review)
    if accepted:
        said = f"accepted {agreeing(accepted, 'change', 'changes')}"
        cards.append(el("li", el("b", f"{accepted:,}"), " ", said, data_value=_TONES[Risk.CARE]))
    found = at_one_place(review.new_findings)
    for severity in Severity:
        number = sum(each.finding.severity is severity for each in found)
        noun = counted(number, f"new {severity.value}", "new advice" if severity is Severity.ADVICE else None)
        count, _, said = noun.partition(" ")
        cards.append(el("li", el("b", count), " ", said, data_value=severity.value if number else None))
    return cards


def _approvers(review: Review) -> Html | None:
    if not review.approvers:
        return None
    items = (el("li", el("b", name(owner)), ": ", listed(why, most=5)) for owner, why in review.approvers.items())
    return join(el("h3", "Who must approve"), el("ul", *items, class_="unread"))


def _graphs(drawn: list[DrawnChange], review: Review) -> Html | None:
    if not drawn:
        return None
    hint = el(
        "p",
        "What changes, with its neighbours. Data flows from left to right; each lane is a team. "
        "Choose a resource to see how it changes.",
        class_="hint",
    )
    if len(drawn) == 1 and len(drawn[0].environments) == len(review.reviews):
        return join(hint, drawn[0].drawing)
    titled = (part for each in drawn for part in (el("h3", f"In {', '.join(each.environments)}"), each.drawing))
    return join(hint, *titled)


def _what_if(review: Review) -> Html | None:
    parts = [
        join(
            el("h3", f"If brokers are lost{title}"),
            el("ul", *(el("li", sentence) for sentence in sentences), class_="unread"),
        )
        for title, sentences in changed_what_ifs(review)
    ]
    return join(*parts) if parts else None


def _drift(review: Review) -> Html | None:
    if not review.has_preview:
        return None
    if not review.drift:
        return el("p", "None: Pulumi would apply the changes of the files and nothing else.", class_="fine")
    return el("ul", *(el("li", f"{each.kind} ", name(each.name), f": {each.text}") for each in review.drift))
