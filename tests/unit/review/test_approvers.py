"""Who must approve a change, and when what-if is worth a line."""

from __future__ import annotations

import pytest
from gitted import Repository, repository_of

BASE = """\
version: 1
cluster: {kafka: "4.1", brokers: 4, controllers: [7, 8, 9]}
topics:
  orders:
    owner: checkout
    partitions: 6
    replication: 3
    retention: 30d
    key: {type: uuid}
    config: {min.insync.replicas: 2}
consumerGroups:
  billing: {owner: finance, principal: "User:billing", topics: [orders], start: earliest}
producers:
  web: {owner: shop front, principal: "User:web", topics: [orders]}
"""


@pytest.fixture
def repository(tmp_path, monkeypatch) -> Repository:
    made = repository_of(tmp_path / "repository", {"t.yaml": BASE})
    monkeypatch.chdir(made.root)
    return made


def test_owners_and_the_owners_of_readers_and_writers_approve(repository):
    repository.edit("t.yaml", ("retention: 30d", "retention: 10d"))
    because = [("checkout", ["orders"]), ("finance", ["reads orders"]), ("shop front", ["writes orders"])]
    assert [(each["owner"], each["because"]) for each in repository.told()["approvers"]] == because
    text = repository.review().stdout
    assert "to approve: checkout: orders; finance: reads orders; shop front: writes orders" in text
    owners = repository.review("--format", "codeowners").stdout
    assert "/topology/t.yaml checkout finance shop-front\n" in owners
    assert owners.startswith("# ")


def test_mentions_are_opt_in_and_only_of_names_that_can_be_accounts(repository):
    repository.edit("t.yaml", ("retention: 30d", "retention: 10d"))
    comment = repository.review("--format", "markdown").stdout
    assert "<b>To approve:</b> <code>checkout</code> (orders)" in comment
    assert "@" not in comment
    comment = repository.review("--format", "markdown", "--mention", "@acme/").stdout
    assert "@acme/checkout (orders); @acme/finance (reads orders); <code>shop front</code>" in comment
    assert repository.review("--mention", "@acme/").exit_code == 2


def test_a_safe_change_needs_nobody(repository):
    repository.edit("t.yaml", ("retention: 30d", "retention: 60d"))
    assert repository.told()["approvers"] == []
    assert "to approve" not in repository.review().stdout


def test_what_if_is_shown_only_when_the_change_alters_it(repository):
    repository.edit("t.yaml", ("owner: checkout", "owner: orders-team"))
    assert "what if" not in repository.review().stdout
    repository.edit("t.yaml", ("replicas: 2", "replicas: 3"))
    text = " ".join(repository.review().stdout.split())
    assert "Before: Losing any one broker: every topic can still be read and written." in text
    assert "After: Losing any one broker stops writes to orders" in text


def test_an_owner_cannot_be_replaced_without_being_asked(tmp_path, monkeypatch):
    base = "version: 1\ntopics: {orders: {owner: one, partitions: 6, replication: 3}}\n"
    repository = repository_of(tmp_path / "repository", {"t.yaml": base})
    monkeypatch.chdir(repository.root)
    repository.edit("t.yaml", ("owner: one", "owner: two"))
    assert [each["owner"] for each in repository.told()["approvers"]] == ["one", "two"]


def test_the_owners_of_topics_that_get_out_of_reach_are_asked(tmp_path, monkeypatch):
    topics = "".join(f"  shop.{name}: {{owner: {name}, partitions: 6, replication: 3}}\n" for name in ("a1", "a2", "b"))
    acls = "acls:\n  - {principal: 'User:w', topic: shop., pattern: prefixed, operations: [Read]}\n"
    made = repository_of(tmp_path / "made", {"t.yaml": f"version: 1\ntopics:\n{topics}{acls}"})
    monkeypatch.chdir(made.root)
    made.edit("t.yaml", ("topic: shop.,", "topic: shop.a,"))
    told = made.told()
    assert told["approvers"] == [{"owner": "b", "because": ["1 topic out of reach"]}]
    assert "KT617" not in [each["rule"] for each in told["findings"] if each["new"]]
