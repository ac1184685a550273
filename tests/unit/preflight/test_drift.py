"""The pure part of the comparison with what was deployed."""

from __future__ import annotations

import pytest

from kafka_topology.cluster.live.topics import LiveTopic
from kafka_topology.preflight.facts import Facts
from kafka_topology.preflight.requests import Request
from kafka_topology.preflight.steps.drift import _topic
from kafka_topology.topology import load


@pytest.mark.parametrize(
    ("moves", "differs"),
    [
        ({(2, 3)}, False),  # the last deployment goes on
        ({(2, 3), (3, 3)}, False),
        ({(2, 2)}, False),
        ({(1, 2)}, False),
        ({(1, 1)}, True),
        ({(2, 2), (1, 1)}, True),
    ],
)
def test_a_move_is_drift_only_if_it_leads_elsewhere(tmp_path, moves, differs):
    """Deployed with two replicas, and declared with three by now."""
    file = tmp_path / "topology.yaml"
    file.write_text("version: 1\ntopics: {t: {partitions: 2, replication: 3}}\n")
    topology = load(file).topology
    assert topology is not None
    counts = [now for now, _ in moves]
    live = LiveTopic("t", "id", 2, min(counts), most_replicas=max(counts), moves=frozenset(moves))
    before = {"name": "t", "partitions": 2, "replication": 2}
    request = Request(("Topic", "t"), "update", {**before, "replication": 3}, before)
    findings = list(_topic(Facts(topology, None, None), request, live))
    assert bool(findings) is differs, findings
