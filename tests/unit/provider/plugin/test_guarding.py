"""Whatever goes wrong in the plugin, the engine gets an answer without a secret."""

from __future__ import annotations

import asyncio

import grpc
import pytest
from grpc_engine import provider, provider_pb2

from kafka_topology.provider.plugin.properties import Secret
from kafka_topology.provider.plugin.property_codec import NotFinite, decode, encode

PASSWORD = "hunter2222"
CONFIG = {"bootstrapServers": "127.0.0.1:1", "saslMechanism": "PLAIN", "saslUsername": "u", "saslPassword": PASSWORD}
TOPIC = {"name": "t", "partitions": 1, "replicas": 1}


def failing(settings):
    raise RuntimeError(f"the library quotes {settings.client['sasl.password']}, in-the-topic and\na second line")


def answer(steps, config=CONFIG, connect=failing):
    async def run():
        async with provider(config, connect=connect) as client:
            with pytest.raises(grpc.RpcError) as failed:
                await steps(client)
            return failed.value

    return asyncio.run(run())


def test_an_unexpected_error_hides_the_secrets_of_the_settings_and_of_the_resource():
    marked = {**TOPIC, "config": {"x": Secret("in-the-topic")}}
    error = answer(lambda client: client.create(marked))
    assert error.code() is grpc.StatusCode.INTERNAL
    assert error.details().startswith("kafka-topology failed unexpectedly: RuntimeError: the library quotes [secret], ")
    for secret in (PASSWORD, "in-the-topic", "second line"):
        assert secret not in error.details()


def test_so_does_one_before_the_settings_are_known(monkeypatch):
    def fail(*_):
        raise ValueError(f"cannot read {PASSWORD}")

    monkeypatch.setattr("kafka_topology.provider.config.keys.check_config", fail)
    request = provider_pb2.CheckRequest(news=encode(CONFIG))  # as the stack sends it: not marked
    error = answer(lambda client: client.stub.CheckConfig(request), config=None)
    assert "ValueError: cannot read [secret]" in error.details()


def test_an_answer_that_a_call_gave_itself_stays_as_it_is():
    error = answer(lambda client: client.of("kafka-topology:index:Nothing").create(TOPIC))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "has no resource" in error.details()


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan"), 1e400])
def test_a_number_that_is_none_is_refused_by_its_name(number):
    error = answer(lambda client: client.check("t", {**TOPIC, "config": {"retention.ms": number}}))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert error.details() == f"config.retention.ms: {number} is not a finite number: give a number, or leave it out."
    with pytest.raises(NotFinite):
        decode(encode({"a": [{"b": Secret(number)}]}))


@pytest.mark.parametrize(
    ("key", "said"),
    [("librdkafka", "give a map of librdkafka settings"), ("ownership", "give a map"), ("rules", "")],
)
@pytest.mark.parametrize("number", ["1e400", "Infinity", "NaN"])
def test_nor_does_a_map_in_the_config_hold_one(key, said, number):
    async def run():
        async with provider(None) as client:
            config = {"bootstrapServers": "127.0.0.1:1", key: f'{{"topics": [{number}]}}'}
            response = await client.stub.CheckConfig(provider_pb2.CheckRequest(news=encode(config)))
            return " ".join(failure.reason for failure in response.failures)

    reason = asyncio.run(run())
    assert reason
    assert said in reason


def test_an_address_that_the_stack_marks_as_a_secret_is_not_shown():
    async def run():
        async with provider({"bootstrapServers": Secret("127.0.0.1:1, 127.0.0.1:2"), "requestTimeout": 1}) as client:
            with pytest.raises(grpc.RpcError) as failed:
                await client.create(TOPIC)
            return failed.value.details()

    said = asyncio.run(run())
    assert "127.0.0.1:1" not in said
    assert "127.0.0.1:2" not in said
    assert "cannot be reached" in said
