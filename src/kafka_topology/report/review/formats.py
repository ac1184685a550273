"""The formats of reviews, and what each of them gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from kafka_topology.review.result import Review
from kafka_topology.topology import Location

from ..formats import Formats, find_formats
from ..run import Quote

GROUP = "kafka_topology.review_formats"
Address = Callable[[Location], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Presented:
    """A review and its surroundings: lines of the files, links to them, and the key of a comment."""

    review: Review
    folder: Path = field(default_factory=Path)
    quote: Quote = lambda _: ""
    address: Address = lambda _: None
    key: str = ""
    mention: str = ""
    page: str = ""  # the address of the page of the change, for a comment to link to


@cache
def review_formats() -> Formats[Presented]:
    return find_formats("kafka_topology.report.review", GROUP)
