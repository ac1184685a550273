"""Which settings hold secrets, and what secrets look like. Messages, excerpts and reviews never show them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from functools import lru_cache

from .run_time_values import PLACEHOLDER

# Kafka declares certificates as passwords, but they are public.
PUBLIC = ("ssl.keystore.certificate.chain", "ssl.truststore.certificates")

_NAME = re.compile(
    r"(?:^|[._-])(?:password|passphrase|passwd|pwd|secret|credentials?|api[._-]?key|private[._-]?key|user\.info"
    r"|access[._-]?key|token|keystore\.key|key\.pem|(?:master|secret)\.key)$|sasl\.jaas\.config$",
    re.IGNORECASE,
)
_IN_JAAS = re.compile(r"(\b(?:password|clientSecret|client_secret)\s*=\s*[\"']?)[^\"'\s;]+")
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*", re.DOTALL)
_IN_ADDRESS = re.compile(r"(://[^/\s:@]+:)[^/\s@]+(@)")
_ACCESS_KEY = re.compile(r"\bAKIA[0-9A-Z]{16}\b")
_IN_VALUE = (_PRIVATE_KEY, _IN_ADDRESS, _ACCESS_KEY)
_MISSPELT = ("password", "passphrase", "passwd", "secret")
_LIKENESS = 0.8
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BETWEEN = " \t:;,\"'"  # what may stand between placeholders
MASK = "[secret]"
# A shorter secret is a part of any other word or number, so it is hidden only where it stands alone.
_LONG = 4
_DIGIT = re.compile(r"[0-9]")
# Where a message quotes a value. A short word elsewhere is a word of the sentence.
_QUOTED = r"(?:(?<=[\"'`=:(\[])|(?<=\bvalue ))"


def names_secret(name: str) -> bool:
    """Whether a setting of this name holds a secret."""
    return _NAME.search(name) is not None


@lru_cache(maxsize=4096)
def may_name_secret(name: str) -> bool:
    """Whether a field of this name may hold a secret, also if the name is misspelt or in camel case."""
    dotted = _CAMEL.sub(".", name[-256:])
    if names_secret(dotted):
        return True
    last = re.split(r"[._-]", dotted)[-1].lower()
    return bool(difflib.get_close_matches(last, _MISSPELT, n=1, cutoff=_LIKENESS))


def is_placeholder(value: str, name: str = "") -> bool:
    """Whether Kafka's config providers replace the whole value, such as `${env:NAME}`.

    A setting that ends with `user.info` has a user's name and a colon in front, which may be written out.
    """
    if name.endswith("user.info"):
        value = re.sub(r"^[^:${}]*:", "", value)
    return PLACEHOLDER.search(value) is not None and not _written(value).strip(_BETWEEN)


def _written(value: str) -> str:
    """The value without its placeholders: what the file itself says."""
    return PLACEHOLDER.sub("", value)


def has_jaas_secret(value: str) -> bool:
    return _IN_JAAS.search(_written(value)) is not None


def looks_secret(value: str) -> bool:
    """Whether the value has the form of a secret, whatever the setting is called."""
    written = _written(value)
    return any(pattern.search(written) for pattern in _IN_VALUE)


def has_secret(value: str) -> bool:
    """Whether a part of the value has the form of a secret."""
    return looks_secret(value) or has_jaas_secret(value)


def without_secrets(text: str) -> str:
    """The text with a mask in place of everything that has the form of a secret."""
    text = _PRIVATE_KEY.sub(MASK, text)
    text = _IN_ADDRESS.sub(rf"\1{MASK}\2", text)
    text = _ACCESS_KEY.sub(MASK, text)
    return _IN_JAAS.sub(rf"\1{MASK}", text)


def hide(text: str, secrets: Collection[str]) -> str:
    """The text with a mask in place of these secrets, readable also if one of them is as short as `a`."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        pattern = re.escape(secret)
        if len(secret) < _LONG:
            start = r"(?<!\w)" if _DIGIT.search(secret) else _QUOTED
            pattern = rf"{start}{pattern}(?!\w)"
        text = re.sub(pattern, MASK, text)
    return text
