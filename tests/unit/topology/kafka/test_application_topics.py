"""Which topics an application keeps for itself, and which only look so."""

from __future__ import annotations

import pytest

from kafka_topology.topology.kafka.application_topics import owners


def owned(*topics: str, groups: tuple[str, ...] = (), **partitions: int) -> dict[str, str]:
    return owners({topic: partitions.get(topic.replace("-", "_"), 3) for topic in topics}, groups)


def test_topics_of_streams_belong_to_a_group_on_the_cluster() -> None:
    application = "the Streams application fraud-check"
    found = owned(
        "fraud-check-by-card-changelog", "fraud-check-join-left-repartition", "audit-changelog", "fraud-changelog",
        groups=("fraud-check", "fraud"),
    )  # fmt: skip
    assert found == dict.fromkeys(("fraud-check-by-card-changelog", "fraud-check-join-left-repartition"), application)


@pytest.mark.parametrize(
    ("topic", "application"),
    [
        ("shop-KSTREAM-AGGREGATE-STATE-STORE-0000000003-changelog", "shop"),
        ("my-shop-KTABLE-FK-JOIN-SUBSCRIPTION-REGISTRATION-0000000006-topic-repartition", "my-shop"),
        ("shop-KSTREAM-3-changelog", None),
        ("-KSTREAM-MAP-0000000003-repartition", None),
    ],
)
def test_names_that_only_streams_makes_need_no_group(topic: str, application: str | None) -> None:
    expected = {} if application is None else {topic: f"the Streams application {application}"}
    assert owned(topic) == expected


def test_connect_has_three_topics_and_one_partition_of_configs() -> None:
    trio = ("connect-configs", "connect-offsets", "connect-status")
    assert owned(*trio, connect_configs=1) == dict.fromkeys(trio, "Kafka Connect")
    assert owned(*trio) == {}
    assert owned(*trio[:2], connect_configs=1) == {}
    assert owned("shop.configs", "shop.offsets", "app.status") == {}


def test_heartbeats_belong_to_a_mirror_maker_that_is_there() -> None:
    assert owned("heartbeats", "dr.heartbeats", "sensor.heartbeat") == {}
    theirs = ("heartbeats", "dr.heartbeats", "mm2-offset-syncs.dr.internal")
    assert owned(*theirs, "sensor.heartbeat") == dict.fromkeys(theirs, "MirrorMaker")


def test_registries_and_platforms() -> None:
    assert owned("_schemas", "_confluent-metrics", "schemas", "_mine") == {
        "_schemas": "a schema registry",
        "_confluent-metrics": "Confluent Platform",
    }
