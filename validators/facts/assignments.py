"""Standalone consumers: which of them divide a topic between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kafka_topology.topology.model.declared import ConsumerGroup, Topology


def teams(topology: Topology) -> Iterator[tuple[str, tuple[ConsumerGroup, ...]]]:
    """For each declared topic, the standalone consumers that each read a part of it for one application.

    The same principals and owner mean the same application. A consumer that reads every partition once is left out.
    """
    found: dict[tuple[str, frozenset[str], str | None], list[ConsumerGroup]] = {}
    for group in topology.consumer_groups.values():
        for name, partitions in group.assign.items():
            topic = topology.topics.get(name)
            if topic is None:
                continue
            inside = [partition for partition in partitions if partition < topic.partitions]
            if len(inside) != topic.partitions or len(set(inside)) != topic.partitions:
                found.setdefault((name, frozenset(group.principals), group.owner), []).append(group)
    return ((name, tuple(groups)) for (name, _, _), groups in found.items())


def listed(partitions: Iterable[int]) -> str:
    """0, 3 to 5, 9"""
    runs: list[list[int]] = []
    for partition in sorted(partitions):
        if runs and runs[-1][-1] == partition - 1:
            runs[-1].append(partition)
        else:
            runs.append([partition])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)
