"""Whatever shape a program gives an input, Check and CheckConfig say what is wrong, and never fail themselves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable

import pytest
from google.protobuf import struct_pb2
from grpc_engine import provider

from kafka_topology.cluster.outcomes import ClusterUnreachableError
from kafka_topology.provider.plugin.protocol import provider_pb2
from kafka_topology.provider.plugin.schema import schema_text

SCHEMA = json.loads(schema_text())
SHAPES = (None, True, -1.5, "", "x", [], [[]], [{}], ["a", ["b"]], {}, {"a": []}, {"": {}})
# A rule of an access with everything that is looked at, so that each of its fields is reached.
RULE = {"resource": "cluster", "name": "kafka-cluster", "operations": ["Read"], "host": "*"}


def _news(**properties: object) -> struct_pb2.Struct:
    struct = struct_pb2.Struct()
    struct.update(properties)
    return struct


@pytest.mark.parametrize("kind", sorted(SCHEMA["resources"]))
def test_check_takes_any_shape_of_any_input(kind: str) -> None:
    requests = []
    for name in SCHEMA["resources"][kind]["inputProperties"]:
        for shape in SHAPES:
            news = _news(**{"name": "r", "principal": "User:r", "partitions": 1, "replication": 1, name: shape})
            requests += [_check(kind, olds, news) for olds in (_news(), news, _news(**{name: "before"}))]
    _ask("Check", requests)


@pytest.mark.parametrize("field", ["resource", "name", "pattern", "permission", "operations", "host", "other"])
def test_check_takes_any_shape_in_a_rule_of_access(field: str) -> None:
    rules = [_news(principal="User:r", rules=[{**RULE, field: shape}]) for shape in SHAPES]
    _ask("Check", [_check("kafka-topology:index:Access", _news(), news) for news in rules])


def test_check_takes_any_shape_of_the_provider_config() -> None:
    given = [
        _news(**{"bootstrapServers": "127.0.0.1:1", name: shape})
        for name in SCHEMA["config"]["variables"]
        for shape in SHAPES
    ]
    _ask("CheckConfig", [_check("pulumi:providers:kafka-topology", _news(), news) for news in given])


def _check(kind: str, olds: struct_pb2.Struct, news: struct_pb2.Struct) -> provider_pb2.CheckRequest:
    return provider_pb2.CheckRequest(
        urn=f"urn:pulumi:dev::project::{kind}::r", type=kind, name="r", olds=olds, news=news
    )


def _ask(call: str, requests: Iterable[provider_pb2.CheckRequest]) -> None:
    async def ask() -> None:
        async with provider({"bootstrapServers": "127.0.0.1:1"}, connect=_unreachable) as held:
            for request in requests:
                await getattr(held.stub, call)(request)

    asyncio.run(ask())


def _unreachable(_: object) -> object:
    raise ClusterUnreachableError("no cluster answers in this test")
