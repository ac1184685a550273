"""What a topology needs and does not have is reported where it is missing, for every environment, all in one run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kafka_topology.topology import Loaded, Topology, load

LoadText = Callable[..., Loaded]
Resolve = Callable[..., Topology]


def found(loaded: Loaded) -> list[tuple[int, int, str]]:
    return [(each.location.line, each.location.column, each.message) for each in loaded.problems]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("topics: {}", (1, 1, "`version` is missing")),
        (
            "version: 1\ntopics:\n  t: {replication: 1}",
            (3, 6, "`partitions` is missing: neither the topic, its profile nor the cluster's defaults set it"),
        ),
        (
            "version: 1\ncluster: {defaults: {num.partitions: many}}\ntopics: {t: {replication: 1}}",
            (2, 38, "expected a number of partitions, found `many`"),
        ),
        ("version: 1\ncluster:\n  brokers:\n    - rack: a", (4, 7, "`id` is missing: a broker requires it")),
        ("version: 1\ncluster: {brokers: [{id: 1}, {id: 1}]}", (2, 35, "broker 1 is listed twice")),
        (
            "version: 1\ntopics:\n  t:\n    partitions: 1\n    replication: 1\n    key: {field: x}",
            (6, 10, "`type` is missing: a key requires it"),
        ),
        (
            "version: 1\ntopics:\n  t: {partitions: 1, replication: 1, key: {type: int, history: [{partitions: 1}]}}",
            (3, 65, "`until` is missing: an entry of the key's history requires it"),
        ),
        ("version: 1\nproducers:\n  p:\n    owner: x", (3, 3, "`topics` is missing: a producer requires it")),
        (
            "version: 1\nconsumerGroups:\n  g: {members: 1}",
            (3, 6, "a consumer group takes exactly one of topics, assign; found none"),
        ),
        (
            "version: 1\nacls:\n  - topic: t\n    operations: [Read]",
            (3, 5, "`principal` is missing: an ACL requires it"),
        ),
        ("version: 1\nusers:\n  u: {mechanism: SCRAM-SHA-256}", (3, 6, "`password` is missing: a user requires it")),
        (
            "version: 1\nusers:\n  u: {mechanism: SCRAM-SHA-256, password: {}}",
            (3, 43, "`secret` is missing: a secret requires it"),
        ),
        (
            "version: 1\npatterns: {uuid: x}",
            (2, 18, "`uuid` is a key type of the language"),
        ),
        ("version: 1\npatterns: {a: '('}", (2, 15, "the pattern is not a regular expression: missing ), unterminated")),
    ],
)
def test_what_is_missing_is_shown_where_it_is_missing(
    load_text: LoadText, text: str, expected: tuple[int, int, str]
) -> None:
    ((line, column, message),) = found(load_text(text))
    assert (line, column) == expected[:2]
    assert message.startswith(expected[2])


def test_one_incomplete_item_does_not_hide_the_next(load_text: LoadText) -> None:
    text = (
        "version: 1\ntopics:\n"
        "  t: {partitions: 1, replication: 1, key: {type: int, history: [{partitions: 1}, {partitions: 2}]}}\n"
        "  u: {}\n"
        "users: {a: {}, b: {}}\n"
    )
    assert [line for line, _, _ in found(load_text(text))] == [3, 3, 4, 4, 5, 5, 5, 5]


def test_an_environment_that_was_not_chosen_is_checked_as_well(load_text: LoadText) -> None:
    text = (
        "version: 1\nprofiles: {p: {replication: 1}}\ntopics: {t: {profile: p, partitions: 1}}\n"
        "environments:\n"
        "  dev:\n    topics:\n      u: {partitions: 1}\n      t: {profile: q}\n"
        "  prod:\n    producers: {x: {topics: [t, v]}}\n    acls:\n      - {principal: User:a}\n"
        "    cluster: {brokers: [{rack: a}]}\n"
    )
    expected = [7, 8, 10, 12, 12, 13]
    for environment in (None, "dev", "prod"):
        assert [line for line, _, _ in found(load_text(text, environment))] == expected


def test_an_environment_may_complete_what_the_base_leaves_open(load_text: LoadText) -> None:
    text = "version: 1\ntopics: {t: {partitions: 1}}\nenvironments: {dev: {topics: {t: {replication: 1}}}}\n"
    assert load_text(text, "dev").problems == ()
    assert found(load_text(text))[0][:2] == (2, 13)


def test_an_unknown_environment_is_a_problem_unless_it_is_optional(load_text: LoadText, tmp_path: Path) -> None:
    text = "version: 1\nenvironments: {staging: {}, prod: {}}\n"
    (problem,) = load_text(text, "stagin").problems
    assert (problem.id, problem.message) == ("KT006", "no environment is called `stagin`")
    assert problem.fix == "did you mean `staging`?"
    assert (problem.location.line, problem.location.column) == (2, 15)
    file = tmp_path / "topology.yaml"
    optional = load(file, "my-stack", environment_optional=True)
    assert optional.topology is not None
    assert optional.topology.environment is None


def test_nothing_is_called_unknown_when_a_file_could_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("version: 1\nproducers: {p: {topics: [t]}}\ntopics: {u: {profile: event}}\n")
    (tmp_path / "b.yaml").write_text("version: 1\ntopics: [broken\n")
    (problem,) = load(tmp_path).problems
    assert problem.id == "KT001"
    (tmp_path / "b.yaml").write_text("version: 1\ntopics: []\nprofiles: 5\n")
    assert [problem.id for problem in load(tmp_path).problems] == ["KT003", "KT003"]


def test_a_topic_outside_the_ownership_may_be_used_without_being_declared(load_text: LoadText) -> None:
    text = "version: 1\nownership: {topics: [shop.]}\nproducers: {p: {topics: [bank.x, shop.x]}}\n"
    assert found(load_text(text)) == [(3, 34, "no topic is called `shop.x`")]


def test_brokers_by_number_are_spread_over_the_racks(resolve: Resolve) -> None:
    cluster = resolve("version: 1\ncluster: {brokers: 4, racks: [a, b], disk: 1GB}\n").cluster
    assert cluster.brokers is not None
    assert [(each.id, each.rack, each.disk) for each in cluster.brokers] == [
        (1, "a", 10**9),
        (2, "b", 10**9),
        (3, "a", 10**9),
        (4, "b", 10**9),
    ]
    listed = resolve("version: 1\ncluster: {brokers: [{id: 7, rack: z}, {id: 8, disk: 2GB}], disk: 1GB}\n").cluster
    assert listed.racks == ("z",)
    assert listed.brokers is not None
    assert [each.disk for each in listed.brokers] == [10**9, 2 * 10**9]
    assert resolve("version: 1\ncluster: {racks: [a, b]}\n").cluster.racks == ("a", "b")


STALE_OVERLAY = """\
version: 1
topics: {orders: {partitions: 1, replication: 1}}
environments:
  dev:
    topics: {order: {replication: 1}}
    consumerGroups: {shop.billing: {members: 1}}
    producers: {shop: {owner: shop}}
"""


def test_an_environment_that_changes_what_is_not_declared(load_text: LoadText) -> None:
    for environment in ("dev", None):
        assert [(f.id, f.message, f.fix) for f in load_text(STALE_OVERLAY, environment).problems] == [
            ("KT006", "environment `dev` changes topic `order`, which is not declared", "did you mean `orders`?"),
            (
                "KT006",
                "environment `dev` changes consumer group `shop.billing`, which is not declared",
                "declare it, or remove it from the environment; to declare it in `dev` only, add `topics` or `assign`",
            ),
            (
                "KT006",
                "environment `dev` changes producer `shop`, which is not declared",
                "declare it, or remove it from the environment; to declare it in `dev` only, add `topics:`, a list",
            ),
        ]


def test_an_environment_is_not_blamed_for_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(STALE_OVERLAY)
    (tmp_path / "b.yaml").write_text("version: 1\nconsumerGroups: {shop.billing: @}\n")
    assert [finding.id for finding in load(tmp_path, "dev").problems] == ["KT001"]


def test_an_unreadable_file_may_declare_the_environment(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("version: 1\n")
    (tmp_path / "b.yaml").write_text("version: 1\nenvironments: {prod: {}\n")
    assert [problem.id for problem in load(tmp_path, "prod").problems] == ["KT001"]
