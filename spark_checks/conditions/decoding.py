"""What is made of keys and values before they are judged, as plain data. Nothing, for most topics.

The frame keeps its columns, so both engines judge what they know. These columns are added where something needs them:

| column | holds |
|---|---|
| `key_text` | the key as text: digits of a number, JSON text (a JSON string without its quotes), base64 of bytes |
| `key_json` | the JSON text of a JSON or Avro key; null for others, and for Avro that does not decode |
| `partitions` | the partition count at the record's time |
| `key_outcome`, `value_outcome` | what decoding or the schema's validator says, as an `Outcome` |

An Avro value that decodes is replaced by its JSON text, so later steps see JSON only; one that does not keeps its
bytes, and a null stays null.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .record import Era
from .schemas import AvroSchema, JsonSchema
from .shares import Share

KeyText = Literal["plain", "int", "long", "json", "avro", "base64"]


@dataclass(frozen=True, slots=True)
class Decoding:
    """`eras` is filled where an expression asks for the partition count."""

    key_text: KeyText | None = None
    key_avro: AvroSchema | None = None
    key_json: JsonSchema | None = None
    value_avro: AvroSchema | None = None
    value_json: JsonSchema | None = None
    share: Share | None = None
    eras: tuple[Era, ...] = ()
    headers: bool = False
