"""A declared topic against the live one: what differs, what to do about it, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from .config_values import same
from .topics import is_internal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .topics import DeclaredTopic


# Set while replicas are copied, and removed afterwards: never part of a topic's own config.
THROTTLED_REPLICAS: Final = ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas")


@dataclass(frozen=True, slots=True)
class Placed:
    """Where one partition is: who leads it, if anybody does, on which brokers its replicas are, and which keep up.

    The first replica is the preferred leader.
    """

    leader: int | None
    replicas: tuple[int, ...]
    in_sync: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LiveTopic:
    """A topic as the cluster describes it. `config` holds only what was set on the topic itself.

    While `throttled`, its replicas are being copied, and `replication` already counts the new ones. `min_in_sync` is in
    force, whoever set it.
    """

    name: str
    topic_id: str
    partitions: int
    replication: int
    config: Mapping[str, str] = field(default_factory=dict)
    internal: bool = False
    throttled: bool = False
    placement: tuple[Placed, ...] = field(default=(), compare=False, repr=False)  # by partition
    min_in_sync: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class TopicContents:
    """How many offsets the topic spans, and when its last record was written, if that is known."""

    offsets: int
    last_write: datetime | None = None


@dataclass(frozen=True, slots=True)
class ConfigChange:
    set: Mapping[str, str] = field(default_factory=dict)
    reset: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.set or self.reset)


@dataclass(frozen=True, slots=True)
class TopicPlan:
    """What makes the live topic equal to the declaration; `refusal` says why it cannot be done."""

    partitions: int | None = None
    config: ConfigChange = ConfigChange()
    refusal: str | None = None


def differences(declared: DeclaredTopic, live: LiveTopic) -> tuple[str, ...]:
    """One line for each declared value that the live topic does not have."""
    lines = []
    for name in ("partitions", "replication"):
        wanted, actual = getattr(declared, name), getattr(live, name)
        if wanted != actual:
            lines.append(f"{name}: declared {wanted}, live {actual}")
    for key, wanted in sorted(declared.config.items()):
        actual = live.config.get(key)
        if not same(wanted, actual):
            lines.append(f"{key}: declared {wanted}, live {actual or 'not set'}")
    return tuple(lines)


def settings_missing(declared: DeclaredTopic, live: LiveTopic) -> tuple[str, ...]:
    """The differences that an update applies at once: all but the replication, which takes its time."""
    return differences(replace(declared, replication=live.replication), live)


def unmanaged(declared: DeclaredTopic, live: LiveTopic) -> tuple[str, ...]:
    """Config keys that were set on the live topic by someone else, and are left alone."""
    return tuple(sorted(live.config.keys() - declared.config.keys()))


def plan_update(previous: Iterable[str], declared: DeclaredTopic, live: LiveTopic) -> TopicPlan:
    """`previous` are the config keys declared until now: dropped ones go back to default."""
    if live.partitions > declared.partitions:
        return TopicPlan(
            refusal=f"topic '{declared.name}' has {live.partitions} partitions on the cluster "
            f"and {declared.partitions} are declared: Kafka cannot remove partitions. Declare "
            f"{live.partitions}, or run 'pulumi refresh' to see what changed."
        )
    return TopicPlan(
        partitions=declared.partitions if live.partitions < declared.partitions else None,
        config=ConfigChange(
            set={k: v for k, v in declared.config.items() if not same(v, live.config.get(k))},
            reset=frozenset(k for k in previous if k not in declared.config and k in live.config),
        ),
    )


def is_applied(plan: TopicPlan, live: LiveTopic) -> bool:
    """Whether the live topic shows everything that the plan changes."""
    return (
        (plan.partitions is None or live.partitions == plan.partitions)
        and all(same(value, live.config.get(key)) for key, value in plan.config.set.items())
        and not plan.config.reset & live.config.keys()
    )


def why_not_delete(
    declared: DeclaredTopic,
    topic_id: str | None,
    live: LiveTopic,
    readers: tuple[str, ...],
    contents: TopicContents,
) -> str | None:
    """Why the live topic must stay, or None when it may go. The first reason is enough to stop."""
    topic = f"topic '{declared.name}'"
    if live.internal or is_internal(live.name):
        return f"{topic} is Kafka's own and is never deleted."
    if topic_id and topic_id != live.topic_id:
        return (
            f"{topic} was deleted and made anew outside this stack (its id was {topic_id} and is "
            f"{live.topic_id}): run 'pulumi refresh' to take the new one over, then try again."
        )
    if declared.deletion == "force":
        return None
    if readers:
        return (
            f"{topic} is being read by {', '.join(readers)}: stop those consumers first, or "
            "declare 'deletion: force' and apply that before deleting."
        )
    if contents.offsets:
        last = f", the last written at {_when(contents.last_write)}" if contents.last_write else ""
        return (
            f"{topic} is not empty: it holds up to {contents.offsets} records{last}. Wait until "
            "retention has emptied it, or declare 'deletion: force' and apply that before deleting."
        )
    return None


def why_protected(declared: DeclaredTopic) -> str | None:
    """Protection needs no look at the cluster."""
    if declared.deletion != "protected":
        return None
    return (
        f"topic '{declared.name}' is protected and is not deleted: declare 'deletion: allowed' for "
        "it, apply that, and then remove it. To only stop managing it, run 'pulumi state delete'."
    )


def _when(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")
