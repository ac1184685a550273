"""A client has one principal, or several while its credentials rotate."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kafka_topology.graph.build import topology_graph
from kafka_topology.provider.desired.owners import owners
from kafka_topology.topology import Loaded, Topology
from kafka_topology.topology.kafka.clients.settings import client_settings
from kafka_topology.topology.kafka.effective import EffectiveSettings
from kafka_topology.topology.writing.show import as_plain
from kafka_topology.validators import run
from kafka_topology.validators.custom.values import section_values

LoadText = Callable[..., Loaded]
Resolve = Callable[..., Topology]

HEAD = "version: 1\ntopics: {shop.orders: {partitions: 6, replication: 3, owner: shop}}\n"
ROTATING = "producers:\n  checkout:\n    topics: [shop.orders]\n    owner: shop\n    principal: [User:old, User:new]\n"


def findings(topology: Topology, rule: str) -> list[tuple[int, int, str]]:
    found = run(topology, select=lambda each: each == rule).findings
    return [(each.location.line, each.location.column, each.message) for each in found]


def test_one_principal_is_written_back_as_one_and_several_as_a_list(resolve: Resolve) -> None:
    rotating = resolve(HEAD + ROTATING)
    assert rotating.producers["checkout"].principals == ("User:old", "User:new")
    assert as_plain(rotating)["producers"]["checkout"]["principal"] == ["User:old", "User:new"]
    for written in ("User:new", "[User:new]"):
        single = resolve(HEAD + ROTATING.replace("[User:old, User:new]", written))
        assert as_plain(single)["producers"]["checkout"]["principal"] == "User:new"
        producer = single.producers["checkout"]
        assert producer.principal_place("User:new").location.line == 7


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("[]", ("KT003", 7, 16, "expected at least one principal, found an empty list")),
        ("[User:a, User:b, User:a]", ("KT004", 7, 33, "`User:a` is a duplicate; line 7 has it already")),
        ("[User:a, b]", ("KT003", 7, 25, "expected a principal such as User:shop-checkout, found `b`")),
        ("{a: b}", ("KT003", 7, 16, "expected a list, found a mapping")),
    ],
)
def test_mistakes_are_located(load_text: LoadText, written: str, found: tuple[str, int, int, str]) -> None:
    (problem,) = load_text(HEAD + ROTATING.replace("[User:old, User:new]", written)).problems
    assert (problem.id, problem.location.line, problem.location.column, problem.message) == found


def test_an_environment_replaces_all_principals(resolve: Resolve) -> None:
    text = HEAD + ROTATING + "environments: {dev: {producers: {checkout: {principal: User:dev}}}}\n"
    assert resolve(text, "dev").producers["checkout"].principals == ("User:dev",)


def test_a_second_principal_is_no_stranger_to_the_group(resolve: Resolve) -> None:
    text = HEAD + (
        "consumerGroups: {shop.billing: {topics: [shop.orders], principal: [User:old, User:new]}}\n"
        "acls:\n  - {principal: User:@, group: shop.billing, operations: [Read]}\n"
    )
    assert findings(resolve(text.replace("@", "new")), "KT512") == []
    assert [line for line, _, _ in findings(resolve(text.replace("@", "other")), "KT512")] == [5]


def test_each_principal_is_judged(resolve: Resolve) -> None:
    text = HEAD + ROTATING.replace("User:new", "User:ANONYMOUS") + 'ownership: {principals: ["User:old"]}\n'
    assert [place[:2] for place in findings(resolve(text), "KT608")] == [(7, 27)]
    assert [place[:2] for place in findings(resolve(text), "KT014")] == [(7, 27)]
    used = HEAD + ROTATING + 'ownership: {principals: ["User:old", "User:new", "User:none"]}\n'
    assert [place[:2] for place in findings(resolve(used), "KT015")] == [(8, 50)]


def test_each_principal_belongs_to_the_owner(resolve: Resolve) -> None:
    assert owners(resolve(HEAD + ROTATING)) == {"User:old": "shop", "User:new": "shop"}


def test_a_private_topic_is_not_open_to_others_because_of_a_second_principal(resolve: Resolve) -> None:
    text = HEAD + ROTATING + "acls:\n  - {principal: User:new, topic: shop.orders, operations: [Read]}\n"
    assert findings(resolve(text), "KT601") == []
    assert len(findings(resolve(text.replace("    owner: shop\n", "    owner: other\n")), "KT601")) > 0


def test_a_quota_counts_for_each_principal(resolve: Resolve) -> None:
    text = (HEAD + ROTATING).replace("owner: shop}", "throughput: {peak: 10MB/s}}") + (
        "cluster: {brokers: 1}\nquotas:\n  - {user: new, producerByteRate: 1MB/s}\n"
    )
    assert [line for line, _, _ in findings(resolve(text), "KT610")] == [10]


def test_expressions_see_the_first_principal_and_all(resolve: Resolve) -> None:
    topology = resolve(HEAD + ROTATING)
    values = section_values(topology, EffectiveSettings(topology), "producers")["checkout"]
    assert (values["principal"], values["principals"]) == ("User:old", ["User:old", "User:new"])


def test_the_graph_and_the_client_settings_say_that_credentials_rotate(resolve: Resolve) -> None:
    rotating, single = resolve(HEAD + ROTATING), resolve(HEAD + ROTATING.replace("User:old, ", ""))
    assert [node.note for node in topology_graph(rotating).nodes][1] == "producer, at-least-once, 2 principals"
    assert [node.note for node in topology_graph(single).nodes][1] == "producer, at-least-once"
    note = "principal: it may log in as User:old or User:new until its credentials are rotated"
    assert note in client_settings(rotating)[0].notes
    assert note not in client_settings(single)[0].notes


def test_a_group_is_shared_with_whichever_principal_of_another_application(resolve: Resolve) -> None:
    text = (
        HEAD
        + ROTATING
        + (
            "consumerGroups: {shop.billing: {topics: [shop.orders], principal: User:billing}}\n"
            "acls:\n  - {principal: User:new, group: shop.billing, operations: [Read]}\n"
        )
    )
    (found,) = findings(resolve(text), "KT512")
    assert "User:new, which is checkout, may join" in found[2]


def test_the_owner_of_a_role_is_that_of_any_of_its_principals(resolve: Resolve) -> None:
    text = HEAD + ROTATING + "consumerGroups: {shop.billing: {topics: [shop.orders], principal: [User:a, User:@]}}\n"
    assert findings(resolve(text.replace("@", "new")), "KT617") == []
    assert len(findings(resolve(text.replace("@", "b")), "KT617")) == 1


def test_a_producer_commits_the_offsets_of_its_group_as_each_of_its_principals(resolve: Resolve) -> None:
    text = HEAD + (
        "producers:\n  billing:\n    topics: [shop.orders]\n    delivery: exactly-once\n"
        "    transactionalId: writes-\n    principal: [User:old, User:new]\n"
        "consumerGroups: {shop.ledger: {topics: [shop.orders], delivery: exactly-once, principal: @}}\n"
    )
    assert findings(resolve(text.replace("@", "[User:new, User:old]")), "KT421") == []
    ((line, column, message),) = findings(resolve(text.replace("@", "User:old")), "KT421")
    assert (line, column) == (8, 27)
    assert "its principal is User:new, but the group shop.ledger" in message
