"""What names mean to Kafka, and which a topic may have."""

from __future__ import annotations

import re

# A name becomes part of a folder on the broker's disk.
LONGEST_TOPIC_NAME = 249
_LEGAL = re.compile(r"[a-zA-Z0-9._-]+")
_TAKEN = (".", "..")


def is_internal(name: str) -> bool:
    """Kafka keeps its own state in topics whose names begin with two underscores."""
    return name.startswith("__")


def is_legal_topic(name: str) -> bool:
    return _LEGAL.fullmatch(name) is not None and len(name) <= LONGEST_TOPIC_NAME and name not in _TAKEN


def illegal_characters(name: str) -> str:
    """Those that no topic's name may have, each once."""
    return "".join(dict.fromkeys(character for character in name if not _LEGAL.fullmatch(character)))
