"""Why a reader's schema does not accept what a writer's schema allows, in the words of both directions."""

from __future__ import annotations

from dataclasses import dataclass

# By kind: about existing records and the new schema, and about new records and readers with the old schema.
# {writer} and {reader} are what the two schemas say.
_WORDS = {
    "type": ("{here} was {writer} and is now {reader}", "{here} is now {writer}, but was {reader}"),
    "values": ("{here} may no longer be {writer}", "{here} may now be {writer}, which readers do not know"),
    "required": (
        "{here} is now required, and existing records may not have it",
        "{here} may now be missing, but readers require it",
    ),
    "unknown field": (
        "{here} is no longer allowed, and existing records may have it",
        "{here} is new, and readers refuse fields that they do not know",
    ),
    "other fields": (
        "{here} may no longer have other fields, and existing records may have some",
        "{here} may now have other fields, which readers refuse",
    ),
    "open": (
        "{here} is described now, but the schema allowed other fields, so existing records may hold anything in it",
        "{here} is no longer described, but the schema allows other fields, so new records may hold anything in it",
    ),
    "bound": (
        "{here}: {reader}, and existing records may break it ({writer})",
        "{here}: readers expect {reader}, and new records may break it ({writer})",
    ),
    "no default": (
        "{here} is new and has no default",
        "{here} was removed, and readers have no default for it",
    ),
    "moved": (
        "{here} was {writer} and is now {reader}, so values of existing records get another meaning or are not found",
        "{here} is now {writer}, but was {reader}, so readers find other values in it or none",
    ),
    "narrower": (
        "{here} was {writer} and is now {reader}, which does not hold every value of existing records",
        "{here} is now {writer}, but was {reader}, so readers do not hold every new value",
    ),
    "one of": (
        "{here} keeps only one of {writer}, and existing records may have several",
        "{writer} may now be set at the same time, and readers keep only one of them ({here})",
    ),
    "default": (
        "{here}: the default was {writer} and is now {reader}, so existing records without it mean something else",
        "{here}: the default is now {writer}, but was {reader}, so readers take records without it differently",
    ),
    "message": (
        "{here} was removed, and existing records may be of it",
        "{here} is new, and readers do not know it",
    ),
    "reserved": ("{here} was reserved, and existing records may hold something else in it", ""),
    "size": ("{here} had {writer} bytes and now has {reader}", "{here} now has {writer} bytes, but had {reader}"),
}


@dataclass(frozen=True, slots=True)
class Reason:
    """`here` is the field, `writer` and `reader` what the two schemas say about it."""

    kind: str
    here: str
    writer: str = ""
    reader: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it needs a record with a field that the writer's schema does not describe."""
        return self.kind == "open"

    @property
    def about_old_records(self) -> str:
        return _WORDS[self.kind][0].format(here=self.here, writer=self.writer, reader=self.reader)

    @property
    def about_old_readers(self) -> str:
        return _WORDS[self.kind][1].format(here=self.here, writer=self.writer, reader=self.reader)


@dataclass(frozen=True, slots=True)
class NotJudged:
    """Something that differs and that nobody here can compare."""

    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """Something that a person has to look at, although both sides can read the records."""

    text: str


def field(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
