"""Which of several quotas limits a client, in the order of Kafka's `ClientQuotaManager`."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafka_topology.topology import load
from kafka_topology.validators.facts.quotas import Quotas

ORDER = [
    "user: ann, clientId: nightly",
    "user: ann, clientId: default",
    "user: ann",
    "user: default, clientId: nightly",
    "user: default, clientId: default",
    "user: default",
    "clientId: nightly",
    "clientId: default",
]


def quotas_of(folder: Path, entities: list[str]) -> Quotas:
    lines = [f"  - {{{entity}, producerByteRate: {ORDER.index(entity) + 1}MB/s}}\n" for entity in entities]
    (folder / "topology.yaml").write_text(f"version: 1\nquotas:\n{''.join(lines)}")
    topology = load(folder).topology
    assert topology is not None
    return Quotas(topology.quotas)


@pytest.mark.parametrize("first", range(len(ORDER)))
def test_the_most_specific_quota_decides(tmp_path: Path, first: int) -> None:
    limited = quotas_of(tmp_path, [*ORDER[:first:-1], ORDER[first]]).limiting("ann", "nightly", "sums", "producer")
    assert limited is not None
    assert limited.rate == (first + 1) * 10**6


def test_a_quota_of_the_other_direction_does_not_count(tmp_path: Path) -> None:
    assert quotas_of(tmp_path, ORDER).limiting("ann", "nightly", "sums", "consumer") is None


def test_without_a_client_id_a_quota_of_one_may_apply_or_not(tmp_path: Path) -> None:
    assert quotas_of(tmp_path, [ORDER[0], ORDER[2]]).limiting("ann", None, "sums", "producer") is None
    limited = quotas_of(tmp_path, [ORDER[1], ORDER[2]]).limiting("ann", None, "sums", "producer")
    assert limited is not None
    assert (limited.rate, limited.whom) == (2 * 10**6, "ann, client sums")
