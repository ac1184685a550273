"""Which values a library takes for one of its settings: the rules report the others, and `clients` leaves them out."""

from __future__ import annotations

import re

from ....model.units import kafka_integer, parse_duration
from ...config_key import ConfigKey
from .library import Own

_VERSION = re.compile(r"(sarama\.)?(V[0-9]+(_[0-9]+){3}|(Min|Max|Default)Version)")
STRATEGY = "partition.assignment.strategy"


def expected_value(own: Own, key: ConfigKey | None, value: str) -> str | None:
    """What the library expects instead of this value; None if it takes it. `key` is the Java client's setting."""
    if own.java == STRATEGY and own.words:
        return _assignors(own, value)
    if own.key is not None and own.key.type != "password" and own.key.problem(value) is not None:
        return own.key.expected
    java = own.to_java(value)
    if own.java == "acks" and key is not None and key.problem(java) is not None:
        return _words(own) if own.words and own.key is None else "-1, 0, 1 or all"  # brokers refuse others
    return None if own.key is not None else _by_java(own, key, value, java)


def _by_java(own: Own, key: ConfigKey | None, value: str, java: str) -> str | None:
    """What is expected where the library documents no range of its own."""
    if own.form == "flag" and value not in ("true", "false"):
        return "true or false"
    if own.form == "code" and own.java is None and not _VERSION.fullmatch(value):
        return "a constant such as V2_8_0_0"
    if own.form == "duration" and value != "0" and parse_duration(value) is None:
        return "a duration such as 30s"
    quantity = own.quantity
    is_amount = quantity is None or kafka_integer(own.plain(value)) is not None
    if own.java is None and quantity is not None and not is_amount:
        return f"{quantity.expected}, or a whole number of {quantity.unit}"
    if own.words and own.form != "text" and java == value and not _is_word(own, value):
        return _words(own)
    if key is None or own.form == "text" or key.problem(java) is None:
        return None
    if own.words:
        return _words(own)
    if quantity is not None and not is_amount:
        return f"{quantity.expected}, or a whole number of {quantity.unit}"
    return "a duration such as 30s" if own.form == "duration" else key.expected


def _is_word(own: Own, value: str) -> bool:
    return kafka_integer(value) is not None or any(value == word for word, _ in own.words)


def _words(own: Own) -> str:
    return f"one of {', '.join(word for word, _ in own.words)}"


def _assignors(own: Own, value: str) -> str | None:
    """Names, and of one kind: eager and cooperative assignors do not go together outside the Java client."""
    items = [item.strip() for item in value.split(",") if item.strip()]
    known = {word for word, _ in own.words}
    if not known.issuperset(items):
        return f"a comma-separated list of {', '.join(sorted(known))}"
    is_mixed = "cooperative-sticky" in items and len(set(items)) > 1
    return "cooperative-sticky alone, or only the others" if is_mixed else None
