"""Compares a declared group of any type with the live one, and refuses what would hurt its members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_topology.cluster.live.topics import ConfigChange
from kafka_topology.topology.kafka.equal import same

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .shape import AnyDeclared, AnyLive


def plan_config(previous: Iterable[str], declared: AnyDeclared, live: AnyLive) -> ConfigChange:
    return ConfigChange(
        set={k: v for k, v in declared.config.items() if not same("group", k, v, live.config.get(k))},
        reset=frozenset(k for k in previous if k not in declared.config and k in live.config),
    )


def moved_to(declared: AnyDeclared) -> str:
    """Where the declared reset moves offsets to, in words."""
    to = declared.reset.to if declared.reset is not None else ""
    return to if isinstance(to, str) else to.isoformat()


def refused_in_use(named: str, live: AnyLive, refusal: str) -> str | None:
    if not live.shape.members:
        return None
    return (
        f"{named} has {live.shape.members} members and is {live.shape.state}: {refusal}. Stop all members, then try "
        "again."
    )


def why_protected(named: str, declared: AnyDeclared, offsets: str) -> str | None:
    if declared.deletion != "protected":
        return None
    return (
        f"{named} is protected and is not deleted: its {offsets} would be lost. Declare 'deletion: allowed' for it, "
        "apply that, and then remove it. To only stop managing it, run 'pulumi state delete'."
    )


def lag_warnings(named: str, declared: AnyDeclared, live: AnyLive) -> tuple[str, ...]:
    lag = live.lag
    if declared.max_lag is None or lag is None or lag <= declared.max_lag:
        return ()
    behind = (
        f"{named} is {lag} records behind, more than its maxLag of {declared.max_lag}: check its consumers, or raise "
        "maxLag."
    )
    return (behind,)
