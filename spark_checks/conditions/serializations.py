"""The same key as another serializer would have written it: a producer may hash one form and send the other."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

_FRAME = 5  # a zero byte and the schema's id in four
Rewrite = Callable[[bytes], bytes | None]


def _text(key: bytes) -> str | None:
    try:
        return key.decode()
    except UnicodeDecodeError:
        return None


def _number(key: bytes) -> int | None:
    """Of canonical decimal digits only: what a producer would print."""
    text = _text(key)
    if text is None or not text.removeprefix("-").isdecimal() or not text.isascii():
        return None
    return int(text) if str(int(text)) == text else None


def _as_bytes(size: int) -> Rewrite:
    def rewrite(key: bytes) -> bytes | None:
        number = _number(key)
        if number is None or number.bit_length() >= 8 * size:
            return None
        return number.to_bytes(size, "big", signed=True)

    return rewrite


def _as_digits(size: int) -> Rewrite:
    def rewrite(key: bytes) -> bytes | None:
        return str(int.from_bytes(key, "big", signed=True)).encode() if len(key) == size else None

    return rewrite


def _quoted(key: bytes) -> bytes | None:
    text = _text(key)
    return None if text is None else json.dumps(text, ensure_ascii=False).encode()


def _unquoted(key: bytes) -> bytes | None:
    if not key.startswith(b'"'):
        return None
    try:
        text = json.loads(key)
    except ValueError:
        return None
    return text.encode() if isinstance(text, str) else None


def _uuid(key: bytes) -> uuid.UUID | None:
    text = _text(key)
    if text is None or len(text) != 36:
        return None
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def _of_uuid(write: Callable[[uuid.UUID], bytes]) -> Rewrite:
    def rewrite(key: bytes) -> bytes | None:
        found = _uuid(key)
        return None if found is None else write(found)

    return rewrite


def _uuid_text(key: bytes) -> bytes | None:
    return str(uuid.UUID(bytes=key)).encode() if len(key) == 16 else None


def _without_frame(key: bytes) -> bytes | None:
    return key[_FRAME:] if len(key) > _FRAME and key[0] == 0 else None


def _without_last(count: int) -> Rewrite:
    def rewrite(key: bytes) -> bytes | None:
        return key[:-count] if len(key) > count else None

    return rewrite


# What was hashed, in words that follow "hashed as". A rewrite gives None for a key that has no such form.
SERIALIZATIONS: Final[Mapping[str, Rewrite]] = MappingProxyType(
    {
        "a 4-byte number instead of its digits": _as_bytes(4),
        "an 8-byte number instead of its digits": _as_bytes(8),
        "the digits of the number instead of its 4 bytes": _as_digits(4),
        "the digits of the number instead of its 8 bytes": _as_digits(8),
        "JSON text in quotes": _quoted,
        "plain text instead of JSON text in quotes": _unquoted,
        "the bytes after the schema-id frame": _without_frame,
        "the 16 bytes of the UUID instead of its text": _of_uuid(lambda found: found.bytes),
        "the text of the UUID instead of its 16 bytes": _uuid_text,
        "the UUID in lower case": _of_uuid(lambda found: str(found).encode()),
        "the UUID in upper case": _of_uuid(lambda found: str(found).upper().encode()),
        "the UUID without dashes": _of_uuid(lambda found: found.hex.encode()),
        "the key without the time window of Kafka Streams (last 8 bytes)": _without_last(8),
        "the key without the window and sequence number of Kafka Streams (last 12 bytes)": _without_last(12),
        "the key without the session window of Kafka Streams (last 16 bytes)": _without_last(16),
    }
)
