"""The provider in this process, called through gRPC as the engine calls it."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import grpc
from google.protobuf import empty_pb2

from kafka_topology.provider.plugin.engine_log import EngineLog
from kafka_topology.provider.plugin.property_codec import decode, encode
from kafka_topology.provider.plugin.protocol import (
    engine_pb2,
    engine_pb2_grpc,
    provider_pb2,
    provider_pb2_grpc,
    status_pb2,
)
from kafka_topology.provider.plugin.server import connect
from kafka_topology.provider.plugin.servicer import Servicer

TOPIC = "kafka-topology:index:Topic"
GROUP = "kafka-topology:index:ConsumerGroup"
SHARE_GROUP = "kafka-topology:index:ShareGroup"
ACCESS = "kafka-topology:index:Access"
USER = "kafka-topology:index:User"
# What the kinds add to their inputs.
OUTPUTS = {"__version", "clusterId", "topicId", "state", "members", "lag", "offsets", "undeclared"}


def name_of(properties):
    """What the resource is called by its kind."""
    return properties["name"] if "name" in properties else properties["principal"]


def only_inputs(state):
    return {key: value for key, value in state.items() if key not in OUTPUTS}


class Engine(engine_pb2_grpc.EngineServicer):
    def __init__(self):
        self.said = []

    async def Log(self, request, context):  # noqa: ARG002
        self.said.append((engine_pb2.LogSeverity.Name(request.severity), request.message))
        return empty_pb2.Empty()


class Runs:
    """Runs of the engine: it never deletes what the program declares in the same one, so a deletion begins another."""

    def __init__(self, stub, config):
        self._stub = stub
        self._config = config
        self._declared = set()
        self._lock = asyncio.Lock()

    def declare(self, urn):
        self._declared.add(urn)

    async def before_deleting(self, urn):
        async with self._lock:
            if urn in self._declared:
                await self.begin()

    async def begin(self):
        await self._stub.Configure(provider_pb2.ConfigureRequest(args=encode(self._config)))
        self._declared.clear()


class Client:
    """The calls of the engine, with Python values."""

    def __init__(self, stub, engine, runs, kind=TOPIC):
        self.stub = stub
        self.engine = engine
        self.runs = runs
        self.kind = kind

    def of(self, kind):
        return Client(self.stub, self.engine, self.runs, kind)

    def urn(self, name):
        return f"urn:pulumi:dev::project::{self.kind}::{name}"

    async def diff(self, old, new):
        response = await self.stub.Diff(
            provider_pb2.DiffRequest(
                id=name_of(old), urn=self.urn(name_of(old)), old_inputs=encode(old), news=encode(new), type=self.kind
            )
        )
        return set(response.detailedDiff)

    async def check(self, name, new, old=None):
        self.runs.declare(self.urn(name))
        response = await self.stub.Check(
            provider_pb2.CheckRequest(
                urn=self.urn(name), olds=encode(old or {}), news=encode(new), type=self.kind, name=name
            )
        )
        return decode(response.inputs), {f.property: f.reason for f in response.failures}

    async def create(self, new, *, preview=False, timeout=0):
        self.runs.declare(self.urn(name_of(new)))
        response = await self.stub.Create(
            provider_pb2.CreateRequest(
                urn=self.urn(name_of(new)),
                properties=encode(new),
                preview=preview,
                type=self.kind,
                timeout=timeout,
            )
        )
        return response.id, decode(response.properties)

    async def update(self, old, new, *, preview=False, timeout=0):
        self.runs.declare(self.urn(name_of(old)))
        response = await self.stub.Update(
            provider_pb2.UpdateRequest(
                id=name_of(old),
                urn=self.urn(name_of(old)),
                olds=encode(old),
                old_inputs=encode(only_inputs(old)),
                news=encode(new),
                preview=preview,
                type=self.kind,
                timeout=timeout,
            )
        )
        return decode(response.properties)

    async def read(self, name, inputs=None, properties=None):
        return await self.stub.Read(
            provider_pb2.ReadRequest(
                id=name,
                urn=self.urn(name),
                inputs=encode(inputs or {}),
                properties=encode(properties or {}),
                type=self.kind,
            )
        )

    async def refresh(self, state):
        """Inputs, outputs and warnings of a look at what the state has; no inputs when it is gone."""
        self.engine.said.clear()
        read = await self.read(name_of(state), only_inputs(state), state)
        warnings = [message for severity, message in self.engine.said if severity == "WARNING"]
        return decode(read.inputs), decode(read.properties), warnings

    async def delete(self, state):
        await self.runs.before_deleting(self.urn(state["name"]))
        await self.stub.Delete(
            provider_pb2.DeleteRequest(
                id=name_of(state),
                urn=self.urn(name_of(state)),
                properties=encode(state),
                old_inputs=encode(only_inputs(state)),
                type=self.kind,
            )
        )


@asynccontextmanager
async def provider(config=None, connect=connect, environment=None, judge=None):
    """A plugin and an engine in this process. Configured when there is a config."""
    engine = Engine()
    engine_server, server = grpc.aio.server(), grpc.aio.server()
    engine_pb2_grpc.add_EngineServicer_to_server(engine, engine_server)
    log = EngineLog()
    servicer = Servicer(connect, environment or {}, log, judge)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(servicer, server)
    engine_port = engine_server.add_insecure_port("127.0.0.1:0")
    port = server.add_insecure_port("127.0.0.1:0")
    await engine_server.start()
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub = provider_pb2_grpc.ResourceProviderStub(channel)
        await stub.Handshake(provider_pb2.ProviderHandshakeRequest(engine_address=f"127.0.0.1:{engine_port}"))
        if config is not None:
            await stub.Configure(provider_pb2.ConfigureRequest(args=encode(config)))
        try:
            yield Client(stub, engine, Runs(stub, config))
        finally:
            await log.close()
            await server.stop(0)
            await engine_server.stop(0)
            await asyncio.get_running_loop().shutdown_default_executor()
            servicer.close()


def on_cluster(kafka, steps, **config):
    async def run():
        async with provider({"bootstrapServers": kafka.bootstrap_servers, **config}) as client:
            return await steps(client)

    return asyncio.run(run())


def detail(error, kind):
    """The detail that the engine reads from an error's trailing metadata."""
    trailers = dict(error.value.trailing_metadata())
    status = status_pb2.Status.FromString(trailers["grpc-status-details-bin"])
    message = kind()
    assert status.details[0].Unpack(message)
    return message
