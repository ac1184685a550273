"""Our placement of replicas against the class with which Kafka's controller places them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from random import Random

import pytest

from kafka_topology.toolchain import ensure_kafka
from kafka_topology.topology.kafka.placement import placed, placements

SOURCE = Path(__file__).parents[2] / "support" / "Placer.java"
SEEDS = 1_500

# Brokers of each rack; None has no rack.
CLUSTERS = (
    {None: 1},
    {None: 4},
    {"a": 3},
    {"a": 1, "b": 1, "c": 1},
    {"a": 2, "b": 2, "c": 2},
    {"a": 2, "b": 2, "c": 1},
    {"a": 3, "b": 1},
    {"a": 1, "b": 2, "c": 3},
    {"a": 4, "b": 1, "c": 1},
    {"a": 2, None: 2},
    {"b": 3, "a": 2},
    {"a": 5, "b": 1},
)


def brokers(racks):
    ids = iter(range(1, 100))
    return {next(ids): rack for rack, count in racks.items() for _ in range(count)}


def witnessed(questions):
    """For each (partitions, replicas, racks), the placements that Kafka finds with many seeds."""
    lines = []
    for partitions, replicas, racks in questions:
        names = " ".join(f"{broker}:{rack}" if rack else str(broker) for broker, rack in brokers(racks).items())
        lines.append(f"{partitions} {replicas} {SEEDS} {names}")
    command = ["java", "-cp", f"{ensure_kafka()[0].parent}/*", str(SOURCE)]
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        yield {tuple(tuple(json.loads(each)) for each in one.split(" ")) for one in line.split(";")}


@pytest.fixture(scope="module")
def short():
    """Topics that end before Kafka changes the order at random: few enough placements to have all of them."""
    asked = [
        (sum(racks.values()), replicas, racks)
        for racks in CLUSTERS
        for replicas in range(1, min(5, sum(racks.values())) + 1)
    ]
    return list(zip(asked, witnessed(asked), strict=True))


def test_the_first_partitions_are_placed_exactly_as_kafka_places_them(short):
    for (partitions, replicas, racks), theirs in short:
        ours = {placed(partitions, replicas, brokers(racks), chance(seed)) for seed in range(SEEDS)}
        assert ours == theirs, (partitions, replicas, racks)


def test_long_topics_lose_as_much_as_they_do_with_kafka():
    """What a partition loses at most with any rack or broker is the same, and so is the load, about."""
    asked = [(40, replicas, racks) for racks in CLUSTERS for replicas in (1, 2, 3) if sum(racks.values()) >= replicas]
    for (partitions, replicas, racks), theirs in zip(asked, witnessed(asked), strict=True):
        every = brokers(racks)
        ours = placements(partitions, replicas, every)
        many = {placed(partitions, replicas, every, chance(seed)) for seed in range(200)}
        for rack in racks:
            lost = {broker for broker, where in every.items() if where == rack}
            assert worst(ours, lost) == worst(theirs, lost), (replicas, racks, rack)
        for broker in every:
            share, expected = load(many, broker), load(theirs, broker)
            assert abs(share - expected) < 0.15 * max(expected, 1), (replicas, racks, broker, share, expected)


def chance(seed):
    return Random(seed)  # noqa: S311 - no secret


def worst(found, lost):
    return max(len(lost.intersection(replicas)) for placement in found for replicas in placement)


def load(found, broker):
    """Replicas of one topic on the broker, on average over the placements."""
    return sum(broker in replicas for placement in found for replicas in placement) / len(found)
