"""What faults of connections share: which proxies they hit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cluster import BROKERS, LISTENERS

if TYPE_CHECKING:
    from .bench import Bench
    from .toxiproxy import Way


def victims(bench: Bench) -> list[int]:
    """One broker, or all of them."""
    return bench.chance.choice([[broker] for broker in BROKERS] + [list(BROKERS)])


def poison(bench: Bench, kind: str, ways: tuple[Way, ...], **attributes: int) -> str:
    """On the connections of the operation; those of the traffic share the plain listener with it."""
    brokers = victims(bench)
    for broker in brokers:
        for way in ways:
            bench.toxiproxy.add_toxic(f"{LISTENERS[bench.via]}-{broker}", kind, way, **attributes)
    told = ", ".join(f"{name} {value}" for name, value in attributes.items())
    return f"brokers {', '.join(map(str, brokers))}: {told}"
