"""Compares a declared topic with the live one, plans the changes, and refuses some."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kafka_topology.cluster.live.topics import ConfigChange, LiveTopic, kafka_id
from kafka_topology.topology.kafka.equal import same
from kafka_topology.topology.kafka.names import is_kafkas_own

from .usage import why_in_use

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from .inputs import DeclaredTopic
    from .usage import Usage


@dataclass(frozen=True, slots=True)
class TopicPlan:
    """The changes that make the live topic equal to the declaration; `refusal` says why that is impossible."""

    partitions: int | None = None
    config: ConfigChange = field(default_factory=ConfigChange)
    refusal: str | None = None


def differences(declared: DeclaredTopic, live: LiveTopic) -> tuple[str, ...]:
    """One line for each declared value that the live topic does not have."""
    partitions, *settings = _setting_differences(declared, live)
    replication = ""
    if not live.has_replication(declared.replication):
        replication = f"replication: declared {declared.replication}, live {live.replication_text}"
    return tuple(filter(None, (partitions, replication, *settings)))


def settings_missing(declared: DeclaredTopic, live: LiveTopic) -> tuple[str, ...]:
    """The differences that an update applies at once: all but the replication, which is copied in the background."""
    return tuple(filter(None, _setting_differences(declared, live)))


def _setting_differences(declared: DeclaredTopic, live: LiveTopic) -> Iterator[str]:
    """The difference in partitions comes first, and is empty if there is none."""
    differ = declared.partitions != live.partitions
    yield f"partitions: declared {declared.partitions}, live {live.partitions}" if differ else ""
    for key, wanted in sorted(declared.config.items()):
        actual = live.config.get(key)
        if not same("topic", key, wanted, actual):
            yield f"{key}: declared {wanted}, live {actual or 'not set'}"


def uneven(live: LiveTopic) -> tuple[str, ...]:
    """A warning if partitions have different numbers of replicas while nothing is being copied."""
    if live.is_even or live.is_moving:
        return ()
    found = f"topic '{live.name}': its partitions have {live.replication_text} replicas."
    return (f"{found} Declare the replication that all of them should have and run 'pulumi up'.",)


def left_over_throttle(live: LiveTopic) -> tuple[str, ...]:
    """A warning about throttled replicas while nothing is being copied: they slow down the next copy, or a recovery."""
    if not live.throttled or live.is_moving:
        return ()
    warning = (
        f"topic '{live.name}' has throttled replicas ({' and '.join(live.throttled)}) and nothing is being copied. "
        "They are left alone. If nobody needs them, remove them with 'kafka-configs --alter --delete-config'."
    )
    return (warning,)


def unmanaged(declared: DeclaredTopic, live: LiveTopic) -> tuple[str, ...]:
    """Config keys that somebody else set on the live topic, and that are left alone."""
    return tuple(sorted(live.config.keys() - declared.config.keys()))


def plan_update(previous: Iterable[str], declared: DeclaredTopic, live: LiveTopic) -> TopicPlan:
    """`previous` has the config keys declared until now: those that are gone go back to their defaults."""
    if live.partitions > declared.partitions:
        return TopicPlan(
            refusal=f"topic '{declared.name}' has {live.partitions} partitions on the cluster "
            f"and {declared.partitions} are declared: Kafka cannot remove partitions. Declare "
            f"{live.partitions}, or run 'pulumi refresh' to see what changed."
        )
    return TopicPlan(
        partitions=declared.partitions if live.partitions < declared.partitions else None,
        config=ConfigChange(
            set={k: v for k, v in declared.config.items() if not same("topic", k, v, live.config.get(k))},
            reset=frozenset(k for k in previous if k not in declared.config and k in live.config),
        ),
    )


def is_applied(plan: TopicPlan, live: LiveTopic) -> bool:
    """Whether the live topic shows everything that the plan changes."""
    return (
        (plan.partitions is None or live.partitions == plan.partitions)
        and all(same("topic", key, value, live.config.get(key)) for key, value in plan.config.set.items())
        and not plan.config.reset & live.config.keys()
    )


def why_not_delete(
    declared: DeclaredTopic,
    topic_id: str | None,
    live: LiveTopic,
    usage: Usage,
    now: datetime,
) -> str | None:
    """Why the live topic must stay, or None if it may be deleted. Returns the first reason."""
    topic = f"topic '{declared.name}'"
    if live.internal or is_kafkas_own(live.name):
        return f"{topic} is Kafka's own and is never deleted."
    if topic_id and kafka_id(topic_id) != live.topic_id:
        return (
            f"{topic} was deleted and created again outside this stack (its id was {topic_id} and is "
            f"{live.topic_id}): run 'pulumi refresh' to take over the new one, then try again."
        )
    if declared.deletion == "force":
        return None
    return why_in_use(topic, usage, now)


def why_protected(declared: DeclaredTopic) -> str | None:
    """Why a protected topic must stay, which needs no read of the cluster."""
    if declared.deletion != "protected":
        return None
    return (
        f"topic '{declared.name}' is protected and is not deleted: declare 'deletion: allowed' for "
        "it, apply that, and then remove it. To only stop managing it, run 'pulumi state delete'."
    )
