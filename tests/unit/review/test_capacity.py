"""What a broker carries before and after, and environments that differ in sizes alone."""

from __future__ import annotations

import pytest
from gitted import Repository, repository_of

BASE = """\
version: 1
cluster: {brokers: 3, kafka: "4.1"}
profiles:
  event: {retention: 1d, replication: 3, config: {min.insync.replicas: 2, segment.ms: 1h}}
topics:
  orders: {owner: a, profile: event, partitions: 6, deletion: allowed, throughput: {peak: 3MB/s, average: 1MB/s}}
  carts: {owner: a, profile: event, partitions: 6, deletion: allowed}
environments:
  dev: {}
  prod: {profiles: {event: {retention: 10d}}}
"""


@pytest.fixture
def repository(tmp_path, monkeypatch) -> Repository:
    made = repository_of(tmp_path / "repository", {"t.yaml": BASE})
    monkeypatch.chdir(made.root)
    return made


def test_disk_and_network_of_a_broker_before_and_after(repository):
    repository.edit("t.yaml", ("peak: 3MB/s, average: 1MB/s", "peak: 6MB/s, average: 2MB/s"))
    (held,) = repository.told()["capacity"]
    assert held["before"] == {
        "brokers": 3,
        "bytes": 86_400_000_000,
        "received": 3_000_000,
        "sent": 2_000_000,
        "unknown": ["carts"],
    }
    assert (held["after"]["bytes"], held["after"]["received"]) == (172_800_000_000, 6_000_000)
    text = repository.review("--format", "markdown").stdout
    assert "disk 86.4 GB → 172.8 GB, receives 3.0 MB/s → 6.0 MB/s, sends 2.0 MB/s → 4.0 MB/s" in text
    assert "without carts: load or limit not declared" in text


def test_nothing_is_said_if_brokers_carry_the_same(repository):
    repository.edit("t.yaml", ("partitions: 6, deletion", "partitions: 12, deletion"))
    assert repository.told()["capacity"] == []
    assert "each broker" not in repository.review().stdout


def test_environments_that_differ_in_sizes_are_one_row(repository):
    repository.edit(
        "t.yaml",
        (
            "  orders: {owner: a, profile: event, partitions: 6, deletion: allowed, ",
            "  carts2: {owner: a, profile: event, partitions: 9, ",
        ),
    )
    options = ("--env", "dev", "--env", "prod", "--fail-on", "destructive")
    result = repository.review(*options)
    assert result.stdout.splitlines()[0].startswith("❌ 1 destructive change")
    assert result.stdout.count('- change: "topic orders removed"') == 1
    assert "in dev: every record of orders is deleted, about 86.4 GB" in " ".join(result.stdout.split())
    assert "in prod: every record of orders is deleted, about 864.0 GB" in " ".join(result.stdout.split())
