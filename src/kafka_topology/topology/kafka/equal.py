"""Which values of a setting mean the same to Kafka: one answer for the provider and the audit."""

from __future__ import annotations

from functools import cache

from .catalogue import VERSIONS, Scope, catalogue
from .config_key import ConfigKey


def same(scope: Scope, key: str, one: str | None, other: str | None) -> bool:
    """Whether Kafka takes both for the same. None is "not set", which is the same as nothing but itself."""
    if one is None or other is None:
        return one is other
    return one == other or normal(scope, key, one) == normal(scope, key, other)


def normal(scope: Scope, key: str, value: str) -> str:
    """One form for all texts that mean the same. Settings that nobody knows are compared as they are written."""
    known = _key(scope, key)
    if known is None:
        return value.strip()
    text = known.normal(value)
    # A list of choices is a set, such as cleanup.policy. The order of others means something, as with cipher suites.
    return ",".join(sorted(text.split(","))) if known.type == "list" and known.choices else text


@cache
def _key(scope: Scope, key: str) -> ConfigKey | None:
    """As the newest Kafka that has it knows it."""
    for version in reversed(VERSIONS):
        found: ConfigKey | None = getattr(catalogue(version), scope).get(key)
        if found is not None:
            return found
    return None
