"""Every kind over every secured listener of a real broker, with the provider's own config keys."""

from __future__ import annotations

import asyncio
from pathlib import Path
from uuid import uuid4

import grpc
import pytest
from grpc_engine import TOPIC, provider

from kafka_topology.provider.plugin.properties import Secret
from kafka_topology.provider.plugin.property_codec import decode, encode
from kafka_topology.provider.plugin.protocol import provider_pb2

ACCESS, USER, QUOTA = (f"kafka-topology:index:{kind}" for kind in ("Access", "User", "Quota"))
PASSWORDS = [
    ("SASL_SSL", "SCRAM-SHA-512"),
    ("SASL_SSL", "SCRAM-SHA-256"),
    ("SASL_SSL", "PLAIN"),
    ("SASL_PLAINTEXT", "SCRAM-SHA-512"),
    ("SASL_PLAINTEXT", "PLAIN"),
]


def by_password(kafka, listener, mechanism, user="admin"):
    settings = kafka.client_settings(listener, user=user, mechanism=mechanism)
    config = {
        "bootstrapServers": settings["bootstrap.servers"],
        "securityProtocol": listener,
        "saslMechanism": mechanism,
        "saslUsername": user,
        "saslPassword": Secret(settings["sasl.password"]),
    }
    if listener == "SASL_SSL":
        config["tlsCaCertificate"] = Path(settings["ssl.ca.location"]).read_text()
    return config


def by_certificate(kafka):
    settings = kafka.client_settings("SSL", user="app")
    return {
        "bootstrapServers": settings["bootstrap.servers"],
        "tlsCaCertificate": Path(settings["ssl.ca.location"]).read_text(),
        "tlsCertificate": Path(settings["ssl.certificate.location"]).read_text(),
        "tlsKey": Secret(Path(settings["ssl.key.location"]).read_text()),
    }


def by_token(kafka):
    settings = kafka.client_settings("SASL_SSL", user="admin", mechanism="OAUTHBEARER")
    return {
        "bootstrapServers": settings["bootstrap.servers"],
        "saslMechanism": "OAUTHBEARER",
        "tlsCaCertificate": Path(settings["ssl.ca.location"]).read_text(),
        "librdkafka": {
            "enable.sasl.oauthbearer.unsecure.jwt": "true",
            "sasl.oauthbearer.config": "principal=admin",
        },
    }


def wanted(name):
    rules = [{"resource": "topic", "name": name, "operations": ["Read"]}]
    return {
        TOPIC: {"name": name, "partitions": 1, "replication": 1, "deletion": "allowed"},
        ACCESS: {"principal": f"User:{name}", "rules": rules},
        USER: {"name": name, "mechanism": "SCRAM-SHA-512", "password": Secret("hunter2")},
        QUOTA: {"user": name, "producerByteRate": 1000},
    }


async def create(client, kind, inputs):
    checked, failures = await client.of(kind).check("x", inputs)
    assert failures == {}
    request = provider_pb2.CreateRequest(urn=client.of(kind).urn("x"), properties=encode(checked), type=kind)
    response = await client.stub.Create(request)
    return response.id, checked, decode(response.properties)


async def make_read_and_delete_everything(config):
    async with provider(config) as client:
        for kind, inputs in wanted(f"secure-{uuid4().hex[:8]}").items():
            made, checked, properties = await create(client, kind, inputs)
            read = await client.of(kind).read(made, checked)
            assert decode(read.inputs) == checked
            assert decode(read.properties) == properties
            await client.runs.begin()
            await client.stub.Delete(
                provider_pb2.DeleteRequest(
                    id=made,
                    urn=client.of(kind).urn("x"),
                    properties=encode(properties),
                    old_inputs=encode(checked),
                    type=kind,
                )
            )
            gone = await client.of(kind).read(made, checked)
            assert gone.id == ""
        return client.engine.said


@pytest.mark.parametrize(("listener", "mechanism"), PASSWORDS)
def test_by_password(secure_kafka, listener, mechanism):
    asyncio.run(make_read_and_delete_everything(by_password(secure_kafka, listener, mechanism)))


def test_by_token(secure_kafka):
    asyncio.run(make_read_and_delete_everything(by_token(secure_kafka)))


@pytest.mark.parametrize("kind", [TOPIC, ACCESS, USER, QUOTA])
def test_a_principal_without_access_gets_an_error_even_for_reads(secure_kafka, kind):
    inputs = wanted(f"secure-{uuid4().hex[:8]}")[kind]

    async def run():
        async with provider(by_certificate(secure_kafka)) as client:
            with pytest.raises(grpc.aio.AioRpcError) as denied:
                await create(client, kind, inputs)
            assert denied.value.code() is grpc.StatusCode.PERMISSION_DENIED
            assert "hunter2" not in str(denied.value)
            made = {TOPIC: "x", ACCESS: "User:x", USER: "x", QUOTA: "user=x"}[kind]
            with pytest.raises(grpc.aio.AioRpcError) as unread:
                await client.of(kind).read(made, {})
            assert unread.value.code() is grpc.StatusCode.PERMISSION_DENIED
            assert "Describe" in str(unread.value.details())

    asyncio.run(run())


def test_the_user_that_the_provider_logs_in_with_is_not_deleted(secure_kafka):
    async def run():
        async with provider(by_password(secure_kafka, "SASL_SSL", "SCRAM-SHA-512")) as client:
            state = {"name": "admin", "mechanism": "SCRAM-SHA-512", "password": Secret("x")}
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await client.of(USER).delete(state)
            assert "the one that this provider logs in with" in str(refused.value.details())

    asyncio.run(run())


def test_a_wrong_password_is_reported_at_once_and_not_shown(secure_kafka):
    config = by_password(secure_kafka, "SASL_SSL", "SCRAM-SHA-512") | {"saslPassword": Secret("hunter2-wrong")}

    async def run():
        async with provider(config) as client:
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await create(client, QUOTA, {"user": "x", "producerByteRate": 1})
            return str(refused.value.details())

    said = asyncio.run(run())
    assert "cannot be reached" in said
    assert "uthentication" in said
    assert "hunter2" not in said
