"""Text in Markdown that stays text: names and descriptions come from files that anybody may have written."""

from __future__ import annotations

import re
from urllib.parse import quote

# As entities they mean nothing to Markdown, not even a table's bar or the start of a line.
_SPECIAL = re.compile(r"[\\`*_\[\]|~<>&#@$]")
# Nothing here may change the direction of text, hide it, or break the line.
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")
_MENTION = re.compile(r"(&#64;|&#35;)(?=\w)")
_LONGEST = 600


def text(value: str, longest: int = _LONGEST) -> str:
    """Nothing in it links, mentions, formats or ends what is around it."""
    plain = _INVISIBLE.sub(" ", value)
    if len(plain) > longest:
        plain = plain[: longest - 1] + "…"
    escaped = _SPECIAL.sub(lambda match: f"&#{ord(match[0])};", plain)
    # GitHub looks for mentions after the entities are read, and for addresses before.
    unlinked = _MENTION.sub(r"\1&#8203;", escaped)
    return re.sub(r"(?i)\b(https?|ftp|www)(?=:|\.)", lambda match: f"{match[0]}&#8203;", unlinked)


def code(value: str, longest: int = 200) -> str:
    return f"<code>{text(value, longest)}</code>"


def link(shown: str, address: str | None) -> str:
    """`shown` is Markdown already."""
    return f"[{shown}]({quote(address, safe=':/?#@&=+,;%~-._')})" if address else shown
