"""Compares a declared share group with the live one: plans its settings and start offsets, and refuses some changes."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from kafka_topology.topology.kafka.equal import same

from ..any_group.plan import moved_to, refused_in_use

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafka_topology.cluster.live.groups import Partition
    from kafka_topology.cluster.live.share_groups import LiveShareGroup

    from .inputs import DeclaredShareGroup


def partitions_read(declared: DeclaredShareGroup, counts: Mapping[str, int]) -> frozenset[Partition]:
    return frozenset((topic, number) for topic in declared.topics if topic in counts for number in range(counts[topic]))


def why_other_type(declared: DeclaredShareGroup, live: LiveShareGroup) -> str | None:
    """Why a group of another type with this name must not be touched."""
    if live.shape.other_type is None:
        return None
    return (
        f"'{declared.name}' is a {live.shape.other_type} group on the cluster, not a share group: group ids are one "
        "namespace. Choose another name, or delete that group first."
    )


def is_startable(live: LiveShareGroup) -> bool:
    """Whether nobody uses the group and it has no start offset yet, so setting one moves nothing."""
    return not live.shape.members and not live.offsets


def config_differences(declared: DeclaredShareGroup, live: LiveShareGroup) -> tuple[str, ...]:
    """Declared settings that an existing group does not have. Those of a group that is not there yet may be missing."""
    return tuple(
        f"{key}: declared {value}, live {live.config.get(key, 'not set')}"
        for key, value in sorted(declared.config.items())
        if (key in live.config or live.is_there) and not same("group", key, value, live.config.get(key))
    )


def why_not_adopt(declared: DeclaredShareGroup, live: LiveShareGroup) -> str | None:
    other = why_other_type(declared, live)
    lines = config_differences(declared, live)
    if other is not None or not lines:
        return other
    name = quote(declared.name)
    return (
        f"share group '{declared.name}' exists with settings that differ from the declaration ({'; '.join(lines)}). "
        "Nothing was changed. Declare what is there, or take it over with 'pulumi import "
        f"kafka-topology:index:ShareGroup {name} {name}' and apply the difference as an update."
    )


def why_not_reset(declared: DeclaredShareGroup, live: LiveShareGroup) -> str | None:
    return refused_in_use(f"share group '{declared.name}'", live, "its start offsets are not moved while consumers run")


def why_not_delete(declared: DeclaredShareGroup, live: LiveShareGroup) -> str | None:
    return why_other_type(declared, live) or refused_in_use(
        f"share group '{declared.name}'", live, "a group in use is not deleted"
    )


def reset_warning(declared: DeclaredShareGroup, live: LiveShareGroup) -> str:
    where = moved_to(declared)
    return (
        f"share group '{declared.name}': the start offsets of {len(live.partitions)} partitions are moved to {where}. "
        "The records in between are delivered again or skipped, and records under way lose their delivery counts."
    )


def adoption_warnings(declared: DeclaredShareGroup, live: LiveShareGroup) -> tuple[str, ...]:
    """What a creation leaves as it is on a group that exists."""
    warnings: list[str] = []
    name = declared.name
    if live.is_there:
        warnings.append(
            f"share group '{name}' exists ({live.shape.state}, {live.shape.members} members) and is adopted: none of "
            "its start offsets is moved."
        )
        unset = live.partitions - live.offsets.keys()
        if declared.start is not None and unset and not is_startable(live):
            warnings.append(
                f"share group '{name}': {len(unset)} partitions have no start offset. The declared start is not "
                "applied to them: share.auto.offset.reset decides where the group starts there."
            )
    if declared.reset is not None:
        warnings.append(
            f"share group '{name}' is new to this stack: its reset is noted and not done. Give it a new token to move "
            "the start offsets."
        )
    return tuple(warnings)
