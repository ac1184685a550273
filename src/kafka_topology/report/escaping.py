"""Escapes text for Markdown. Names and descriptions come from files that anybody may have written."""

from __future__ import annotations

import re
from urllib.parse import quote

from kafka_topology.topology.model.words import visible

# As entities they have no meaning in Markdown, not even in a table or at the start of a line.
_SPECIAL = re.compile(r"[\\`*_\[\]|~<>&#@$]")
_MENTION = re.compile(r"(&#64;|&#35;)(?=\w)")
_LONGEST = 600


def text(value: str, longest: int = _LONGEST) -> str:
    """Text that cannot link, mention, format, or break out of its surroundings."""
    plain = visible(value)
    if len(plain) > longest:
        plain = plain[: longest - 1] + "…"
    escaped = _SPECIAL.sub(lambda match: f"&#{ord(match[0])};", plain)
    # GitHub detects mentions after it decodes entities, and addresses before.
    unlinked = _MENTION.sub(r"\1&#8203;", escaped)
    return re.sub(r"(?i)\b(https?|ftp|www)(?=:|\.)", lambda match: f"{match[0]}&#8203;", unlinked)


def code(value: str, longest: int = 200) -> str:
    return f"<code>{text(value, longest)}</code>"


def link(shown: str, address: str | None) -> str:
    """`shown` is Markdown already."""
    return f"[{shown}]({quote(address, safe=':/?#@&=+,;%~-._')})" if address else shown
