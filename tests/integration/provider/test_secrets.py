"""Secrets of a resource's inputs stay out of what is said about it, and stay secrets in the state."""

from __future__ import annotations

from uuid import uuid4

import grpc
import pytest
from grpc_engine import on_cluster
from pulumi_project import PulumiProject

from kafka_topology.provider.plugin.properties import Secret, reveal
from kafka_topology.provider.plugin.property_codec import decode

HIDDEN = "hunter2-hunter2"


@pytest.mark.parametrize("config", [{"retention.ms": Secret(HIDDEN)}, Secret({"retention.ms": HIDDEN})])
def test_a_secret_config_value_is_not_in_the_brokers_error(kafka, config):
    name = f"secret-{uuid4().hex[:8]}"
    inputs = {"name": name, "partitions": 1, "replication": 1, "deletion": "allowed"}

    async def steps(client):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await client.create({**inputs, "config": config})
        _, made = await client.create(inputs)
        with pytest.raises(grpc.aio.AioRpcError) as half_done:
            await client.update(made, {**inputs, "config": config})
        await client.delete(made)
        return refused.value, half_done.value, client.engine.said

    refused, half_done, said = on_cluster(kafka, steps)
    assert "Invalid value [secret] for configuration retention.ms" in refused.details()
    shown = f"{refused!r} {half_done!r} {half_done.trailing_metadata()} {said}"
    assert "hunter2" not in shown.replace(repr(HIDDEN.encode()), "")


def test_a_secret_config_value_stays_a_secret_in_a_refresh(kafka):
    name = f"secret-{uuid4().hex[:8]}"
    config = {"retention.ms": Secret("777777"), "segment.ms": "888888"}
    inputs = {"name": name, "partitions": 1, "replication": 1, "deletion": "allowed", "config": config}

    async def steps(client):
        _, made = await client.create(inputs)
        read = await client.read(name, inputs)
        await client.delete(made)
        return decode(read.inputs), decode(read.properties)

    for side in on_cluster(kafka, steps):
        assert isinstance(side["config"]["retention.ms"], Secret)
        assert reveal(side["config"]) == {"retention.ms": "777777", "segment.ms": "888888"}


PROGRAM = """\
import os

import pulumi
from kafka_topology import sdk

secret = pulumi.Output.secret
if os.environ["KIND"] == "User":
    sdk.User("a", mechanism="SCRAM-SHA-256", password=secret({"pw": "hunter2-hunter2"}))
else:
    rules = [{"resource": "topic", "name": "t", "operations": ["Read"]}]
    sdk.Access("b", principal=secret("hunter2-hunter2"), rules=rules)
"""


def test_a_secret_that_fails_a_check_is_not_printed_by_the_engine(kafka, tmp_path):
    """The engine shows the value of the property that a failure names."""
    project = PulumiProject(tmp_path / "project", kafka.bootstrap_servers, PROGRAM)
    project.environment["KIND"] = "User"
    shown = project.preview(fails=True)
    assert "password: the password is not text" in " ".join(shown.split())
    project.environment["KIND"] = "Access"
    shown += project.preview(fails=True)
    assert "principal: '[secret]' is not a principal" in " ".join(shown.split())
    project.configure("librdkafka", "sasl.password=hunter2-hunter2", "--secret")
    shown += project.preview(fails=True)
    assert "librdkafka: give a map" in " ".join(shown.split())
    assert "hunter2" not in shown
