"""Charts as tables with bars, readable for everybody."""

from __future__ import annotations

from kafka_topology.topology.model.words import counted

from .html import Html, el


def meter(number: int, most: int) -> Html:
    width = f"{100 * number / most:.1f}%"
    return el("svg", el("rect", width=width, height="100%", rx="2"), class_="meter", aria_hidden="true")


def table(caption: str, titles: tuple[str, ...], rows: list[Html], class_: str | None = None) -> Html:
    head = el("tr", *(el("th", title, scope="col") if title else el("td") for title in titles))
    drawn = el("table", el("caption", caption, class_="hidden"), el("thead", head), el("tbody", *rows), class_=class_)
    return el("div", drawn, class_="scroll", tabindex="0", role="region", aria_label=caption)


def chart(title: str, *children: Html | None) -> Html:
    return el("div", el("h4", title), *children, class_="chart-box")


def left_out(count: int, most: int, noun: str) -> Html | None:
    return el("p", f"{counted(count - most, noun)} more are not shown.", class_="limit") if count > most else None
