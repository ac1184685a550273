"""How a key is shown. Keys may be personal data, so by default only their shape is."""

from __future__ import annotations

LONGEST_SHOWN = 48


def shown(key: bytes | None, length: int | None, *, reveal: bool) -> str | None:
    """The key or its shape; `length` is the real one, for a key that was too long to be fetched."""
    if length is None:
        return None
    if key is None:
        return f"<{length} bytes>"
    try:
        text = key.decode()
    except UnicodeDecodeError:
        return f"0x{key[:LONGEST_SHOWN].hex()}" if reveal else f"<{length} bytes>"
    if not text.isprintable():
        return f"0x{key[:LONGEST_SHOWN].hex()}" if reveal else f"<{length} bytes>"
    visible = text if reveal else "".join(_masked(character) for character in text)
    return visible if len(visible) <= LONGEST_SHOWN else f"{visible[:LONGEST_SHOWN]}… ({length} bytes)"


def _masked(character: str) -> str:
    """Letters and digits hide behind their kind; punctuation stays, because it shows a wrong format."""
    if character.isdigit():
        return "9"
    return "x" if character.isalnum() or not character.isascii() else character
