"""Every value knows who set it and where: topic, profile, extended profile, environment, cluster default, Kafka."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kafka_topology.topology import Layer, Loaded, Place, Topology
from kafka_topology.topology.kafka.effective import EffectiveSettings
from kafka_topology.validators import validate

Resolve = Callable[..., Topology]
LoadText = Callable[..., Loaded]

TEXT = """\
version: 1
cluster:
  defaults:
    min.insync.replicas: 1
    unclean.leader.election.enable: false
    num.partitions: 6
    default.replication.factor: 2
profiles:
  base:
    replication: 3
    key: {type: uuid, nulls: allowed}
    config:
      compression.type: zstd
      preallocate: true
  event:
    extends: base
    retention: 7d
    config: {compression.type: lz4}
topics:
  orders:
    profile: event
    partitions: 12
    key:
      field: order_id
      history:
        - {partitions: 6, until: 2026-03-01T00:00:00Z}
    config:
      max.message.bytes: 1MiB
  plain: {}
producers:
  p: {topics: [orders], config: {linger.ms: 5, enable.idempotence: true}}
acls:
  - principal: User:a
    topic: orders
    operations: [Read, Write]
environments:
  dev:
    cluster: {defaults: {num.partitions: 1}}
    profiles: {base: {replication: 1}}
    topics:
      orders: {config: {max.message.bytes: 2MiB}}
      extra: {partitions: 1, replication: 1}
"""


def at(place: Place) -> tuple[Layer, str, int, int]:
    return place.layer, place.name, place.location.line, place.location.column


@pytest.mark.parametrize(
    ("topic", "path", "expected"),
    [
        ("orders", (), (Layer.RESOURCE, "", 20, 3)),
        ("orders", ("partitions",), (Layer.RESOURCE, "", 22, 17)),
        ("orders", ("replication",), (Layer.PROFILE, "base", 10, 18)),
        ("orders", ("key",), (Layer.RESOURCE, "", 23, 5)),
        ("orders", ("key", "field"), (Layer.RESOURCE, "", 24, 14)),
        ("orders", ("key", "type"), (Layer.PROFILE, "base", 11, 17)),
        ("orders", ("key", "partitioner"), (Layer.LANGUAGE, "", 23, 5)),
        ("orders", ("key", "history", 0, "partitions"), (Layer.RESOURCE, "", 26, 24)),
        ("orders", ("key", "history", 7), (Layer.LANGUAGE, "", 25, 7)),
        ("orders", ("config", "max.message.bytes"), (Layer.RESOURCE, "", 28, 26)),
        ("orders", ("config", "compression.type"), (Layer.PROFILE, "event", 18, 32)),
        ("orders", ("config", "retention.ms"), (Layer.PROFILE, "event", 17, 16)),
        ("orders", ("config", "preallocate"), (Layer.PROFILE, "base", 14, 20)),
        ("orders", ("config", "min.insync.replicas"), (Layer.CLUSTER, "", 4, 26)),
        ("orders", ("config", "unclean.leader.election.enable"), (Layer.CLUSTER, "", 5, 37)),
        ("orders", ("config", "segment.ms"), (Layer.KAFKA, "", 27, 5)),
        ("orders", ("visibility",), (Layer.LANGUAGE, "", 20, 3)),
        ("orders", ("partitions", 0), (Layer.LANGUAGE, "", 22, 17)),
        ("orders", ("owner", "x"), (Layer.LANGUAGE, "", 20, 3)),
        ("plain", (), (Layer.RESOURCE, "", 29, 10)),
        ("plain", ("partitions",), (Layer.CLUSTER, "", 6, 21)),
        ("plain", ("replication",), (Layer.CLUSTER, "", 7, 33)),
        ("plain", ("config", "segment.ms"), (Layer.KAFKA, "", 29, 10)),
    ],
)
def test_where_a_value_of_a_topic_comes_from(
    resolve: Resolve, topic: str, path: tuple[str | int, ...], expected: tuple[Layer, str, int, int]
) -> None:
    assert at(resolve(TEXT).topics[topic].place(*path)) == expected


@pytest.mark.parametrize(
    ("topic", "path", "expected"),
    [
        ("orders", (), (Layer.RESOURCE, "", 20, 3)),
        ("orders", ("replication",), (Layer.ENVIRONMENT, "dev", 39, 36)),
        ("orders", ("config",), (Layer.RESOURCE, "", 27, 5)),
        ("orders", ("config", "max.message.bytes"), (Layer.ENVIRONMENT, "dev", 41, 44)),
        ("orders", ("config", "compression.type"), (Layer.PROFILE, "event", 18, 32)),
        ("plain", ("partitions",), (Layer.CLUSTER, "", 38, 42)),
        ("extra", (), (Layer.ENVIRONMENT, "dev", 42, 14)),
    ],
)
def test_where_a_value_comes_from_in_an_environment(
    resolve: Resolve, topic: str, path: tuple[str | int, ...], expected: tuple[Layer, str, int, int]
) -> None:
    assert at(resolve(TEXT, "dev").topics[topic].place(*path)) == expected


def test_values_of_clients_and_access_rules_know_their_place(resolve: Resolve) -> None:
    topology = resolve(TEXT)
    producer, acl = topology.producers["p"], topology.acls[0]
    assert at(producer.place("topics", 0)) == (Layer.RESOURCE, "", 31, 16)
    assert at(producer.place("config", "linger.ms")) == (Layer.RESOURCE, "", 31, 45)
    assert at(producer.place("config", "enable.idempotence")) == (Layer.RESOURCE, "", 31, 68)
    assert at(producer.place("config", "acks")) == (Layer.KAFKA, "", 31, 33)
    assert at(acl.place()) == (Layer.RESOURCE, "", 33, 5)
    assert at(acl.place("operations", 1)) == (Layer.RESOURCE, "", 35, 24)
    assert at(acl.place("host")) == (Layer.LANGUAGE, "", 33, 5)
    assert at(topology.cluster.place("defaults", "num.partitions")) == (Layer.RESOURCE, "", 6, 21)
    assert at(topology.place("topics", "orders", "partitions")) == (Layer.RESOURCE, "", 22, 17)


def test_resolved_values_are_those_of_the_nearest_layer(resolve: Resolve) -> None:
    orders, plain = resolve(TEXT).topics["orders"], resolve(TEXT).topics["plain"]
    assert (orders.partitions, orders.replication) == (12, 3)
    assert (plain.partitions, plain.replication) == (6, 2)
    assert orders.config["compression.type"] == "lz4"
    assert orders.config["preallocate"] == "true"
    assert orders.key is not None
    assert (orders.key.type, orders.key.field, orders.key.nulls) == ("uuid", "order_id", "allowed")
    in_dev = resolve(TEXT, "dev").topics
    assert (in_dev["orders"].replication, in_dev["plain"].partitions) == (1, 1)
    assert in_dev["orders"].config["max.message.bytes"] == str(2 * 2**20)


def test_effective_settings_end_at_kafkas_default(resolve: Resolve) -> None:
    topology = resolve(TEXT)
    settings = EffectiveSettings(topology)
    inherited = settings.topic(topology.topics["orders"], "min.insync.replicas")
    assert inherited is not None
    assert (inherited.value, at(inherited.place)) == ("1", (Layer.CLUSTER, "", 4, 26))
    default = settings.topic(topology.topics["orders"], "segment.ms")
    assert default is not None
    assert default.place.layer is Layer.KAFKA


def test_a_finding_on_an_inherited_value_points_at_the_place_that_set_it(resolve: Resolve) -> None:
    topology = resolve(
        "version: 1\ncluster: {brokers: 3}\n"
        "profiles:\n  safe:\n    replication: 3\n    config: {min.insync.replicas: 3}\n"
        "topics:\n  orders: {profile: safe, partitions: 3}\n"
    )
    (finding,) = [finding for finding in validate(topology) if finding.id == "KT101"]
    assert (finding.location.line, finding.location.column) == (6, 35)
    assert "set by profile safe" in finding.message
    assert [(each.location.line, each.location.column) for each in finding.related] == [(8, 11)]
