"""Fields of the value as columns of the frame: each is read once, however many conditions ask for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812

from ...conditions.record import (
    Behind,
    Condition,
    DecodedDiffersFromField,
    DiffersFromField,
    IsMoment,
    NoNumber,
    NumberField,
    Repeated,
)
from .json_text import json_field
from .numbers import sortable_decimal, sortable_moment

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def with_fields(frame: DataFrame, conditions: Iterable[Condition]) -> DataFrame:
    """The frame with the columns that these conditions read. First the texts, then what is made of them."""
    asked = list(conditions)
    numbers = dict.fromkeys(_numbers(asked))
    paths = dict.fromkeys([*_paths(asked), *(number.path for number in numbers)])
    if not paths:
        return frame
    texts = frame.withColumns({text_column(path): json_field(F.col("value"), path) for path in paths})
    made = {name: column for each in numbers for name, column in _made_of(each)}
    return texts.withColumns(made) if made else texts


def text_column(path: tuple[str, ...]) -> str:
    """A name without anything that Spark would read as more than a name."""
    return "text_" + "\0".join(path).encode().hex()


def number_columns(field: NumberField) -> list[str]:
    """One for each kind of number: text that sorts as they do, null where the field is none of the kind."""
    text = text_column(field.path)
    return [f"number_{text}", f"moment_{text}"] if field.time else [f"number_{text}"]


def _made_of(field: NumberField) -> Iterator[tuple[str, Column]]:
    text = F.col(text_column(field.path))
    yield from zip(number_columns(field), (sortable_decimal(text), sortable_moment(text)), strict=False)


def _paths(conditions: Iterable[Condition]) -> Iterator[tuple[str, ...]]:
    for condition in conditions:
        if isinstance(condition, DiffersFromField | DecodedDiffersFromField):
            yield condition.path


def _numbers(conditions: Iterable[Condition]) -> Iterator[NumberField]:
    for condition in conditions:
        if isinstance(condition, Behind | Repeated | NoNumber | IsMoment):
            yield condition.field
