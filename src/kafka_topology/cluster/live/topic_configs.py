"""The settings of topics as each broker has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def differing(
    by_broker: Mapping[int, Mapping[str, Mapping[str, str]]],
) -> dict[str, dict[int, Mapping[str, str]]]:
    """The topics whose settings are not the same on all brokers that describe them, with the settings by broker."""
    found: dict[str, dict[int, Mapping[str, str]]] = {}
    for broker, configs in by_broker.items():
        for topic, config in configs.items():
            found.setdefault(topic, {})[broker] = config
    return {
        topic: seen
        for topic, seen in sorted(found.items())
        if any(config != next(iter(seen.values())) for config in seen.values())
    }
