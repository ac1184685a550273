"""Tables for thousands of rows: the first rows are HTML, the script pages through the rest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from kafka_topology.topology.model.words import visible

from .html import Html, el, join, name, raw

STATIC_ROWS = 500  # all that a browser without scripts shows
MAX_ROWS = 20_000


@dataclass(frozen=True, slots=True)
class Column:
    title: str
    class_: str = ""
    header: bool = False
    filtered: bool = False  # a choice among its values

    @property
    def is_name(self) -> bool:
        """Whether it holds names or places, which must not be broken inside a word."""
        return self.class_ in ("name", "where")


@dataclass(frozen=True, slots=True)
class Cell:
    text: str
    href: str | None = None
    more: str = ""  # a second line


Row = Sequence[str | Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    id: str
    caption: str
    noun: str  # what a row is, in the plural
    columns: tuple[Column, ...]
    rows: Sequence[Row]
    elsewhere: str = ""  # where to find all rows, if they are too many for the page
    link_base: str = ""  # what links to files start with


def render(table: Table) -> Html:
    rows = table.rows[:MAX_ROWS]
    titles = (
        el("th", column.title, scope="col", class_=column.class_ or None, role="columnheader")
        for column in table.columns
    )
    head = el("tr", *titles, role="row")
    body = join(*(_row(row, table.columns) for row in rows[:STATIC_ROWS]))
    drawn = el(
        "table",
        el("caption", table.caption, class_="hidden"),
        el("thead", head, role="rowgroup"),
        el("tbody", body, role="rowgroup"),
        role="table",
    )
    return el(
        "div",
        _controls(table),
        el("div", drawn, class_="scroll", tabindex="0", role="region", aria_label=table.caption),
        _notes(table),
        _rest(rows[STATIC_ROWS:], table.link_base),
        class_="paged",
        id=table.id,
        data_noun=table.noun,
        data_link_base=table.link_base or None,
    )


def _row(row: Row, columns: tuple[Column, ...]) -> Html:
    cells = []
    for held, column in zip(row, columns, strict=True):
        cell = held if isinstance(held, Cell) else Cell(held)
        text = name(cell.text) if column.is_name else cell.text
        shown = el("a", text, href=cell.href) if cell.href else text
        more = el("span", cell.more, class_="more") if cell.more else None
        # Explicit roles: on a phone, rows are drawn as blocks, and browsers then drop the row role.
        tag, scope, role = ("th", "row", "rowheader") if column.header else ("td", None, "cell")
        value = cell.text if column.class_ == "severity" else None
        cells.append(el(tag, shown, more, scope=scope, class_=column.class_ or None, role=role, data_value=value))
    return el("tr", *cells, role="row")


def _controls(table: Table) -> Html:
    """Filters and paging, hidden if scripts are off."""
    chosen = []
    for number, column in enumerate(table.columns):
        values = sorted({_text(row[number]) for row in table.rows[:MAX_ROWS]} - {""}) if column.filtered else []
        if len(values) > 1:
            options = (el("option", "all", value=""), *(el("option", value, value=value) for value in values[:500]))
            chosen.append(el("label", column.title, el("select", *options, data_column=number)))
    search = el("label", "Search", el("input", type="search", autocomplete="off", spellcheck="false"))
    return el(
        "form",
        search,
        *chosen,
        el("button", "Clear", type="button", class_="clear", aria_label="Show all rows again", hidden=True),
        el("output", f"{len(table.rows):,} {table.noun}", aria_live="polite"),
        class_="filters js-only",
        role="search",
        aria_label=f"Filter {table.noun}",
    )


def _notes(table: Table) -> Html:
    parts = []
    pages = ("Previous", "previous"), ("Next", "next")
    buttons = (el("button", title, type="button", class_=kind) for title, kind in pages)
    parts.append(el("p", *buttons, class_="pages js-only", hidden=True))
    if len(table.rows) > STATIC_ROWS:
        parts.append(el("p", f"Without scripts only the first {STATIC_ROWS:,} {table.noun} are shown.", class_="no-js"))
    if len(table.rows) > MAX_ROWS:
        left = f"{len(table.rows) - MAX_ROWS:,} more {table.noun} are not in this page. {table.elsewhere}"
        parts.append(el("p", left.strip(), class_="limit"))
    return join(*parts)


def _rest(rows: Sequence[Row], link_base: str) -> Html | None:
    return data_block([[_data(cell, link_base) for cell in row] for row in rows]) if rows else None


def data_block(data: object) -> Html:
    """JSON that no `</script>` in a name can end."""
    written = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    for char in "<>&\u2028\u2029":
        written = written.replace(char, f"\\u{ord(char):04x}")
    return el("script", raw(written), type="application/json")


def _data(held: str | Cell, link_base: str) -> str | list[str]:
    if isinstance(held, str):
        return visible(held)
    if held.href is None and not held.more:
        return visible(held.text)
    href = held.href or ""
    if link_base and href.startswith(link_base):
        href = f"@{href.removeprefix(link_base)}"  # the script puts the base back: it is the same in every row
    return [visible(held.text), href, visible(held.more)]


def _text(held: str | Cell) -> str:
    return held if isinstance(held, str) else held.text
