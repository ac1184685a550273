"""What happened to a group since the last refresh: offsets that moved back, disappeared, or point at no record."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kafka_topology.cluster.live.groups import LiveGroup, Partition
    from kafka_topology.provider.plugin.properties import Value

# Beyond this number, offsets are only counted: a topic may have a thousand partitions.
_SHOWN = 5


def as_output(live: LiveGroup) -> dict[str, Value]:
    """The committed offsets by `topic-partition`, as the state keeps them."""
    return {key(partition): committed.offset for partition, committed in sorted(live.offsets.items())}


def key(partition: Partition) -> str:
    topic, number = partition
    return f"{topic}-{number}"


def offset_warnings(before: Value, live: LiveGroup, starts: Mapping[Partition, int]) -> tuple[str, ...]:
    """Warnings about offsets, compared with those of the last run. Offsets that moved forward are normal."""
    known = before if isinstance(before, dict) else {}
    now = {key(partition): committed.offset for partition, committed in live.offsets.items()}
    back = [f"{at} from {was} to {now[at]}" for at, was in _numbers(known) if at in now and now[at] < was]
    lost = [f"{at}, which was {was}" for at, was in _numbers(known) if at not in now]
    beyond = [
        f"{key(p)} at {c.offset}, and the log ends at {live.ends[p]}"
        for p, c in sorted(live.offsets.items())
        if p in live.ends and c.offset > live.ends[p]
    ]
    below = [
        f"{key(p)} at {c.offset}, and the log starts at {starts[p]}"
        for p, c in sorted(live.offsets.items())
        if p in starts and c.offset < starts[p]
    ]
    group = f"group '{live.name}'"
    found = (
        (back, "went back since the last look", "The records between are read again. Find out who moved them."),
        (lost, "disappeared since the last look", "The consumers start there as their auto.offset.reset says."),
        (beyond, "lie beyond the log's end", "Records were lost, or the topic was created again: reset the group."),
        (below, "lie before the log's start", "Records were deleted before the group had read them."),
    )
    return tuple(f"{group}: offsets {said} ({_listed(items)}). {meaning}" for items, said, meaning in found if items)


def _numbers(offsets: Mapping[str, Value]) -> Iterator[tuple[str, int]]:
    for at, offset in sorted(offsets.items()):
        if isinstance(offset, int):
            yield at, offset


def _listed(items: list[str]) -> str:
    more = f", and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return "; ".join(items[:_SHOWN]) + more
