"""A provider that does nothing: what the engine itself costs. Started by pulumi_up.py in place of ours.

It runs on the same gRPC server as ours, and keeps as much in the state: the name and an id beside the inputs.
"""

from __future__ import annotations

import asyncio
from typing import Any

import grpc.aio
from google.protobuf import empty_pb2

from kafka_topology.provider.plugin.protocol import plugin_pb2, provider_pb2, provider_pb2_grpc


class Noop(provider_pb2_grpc.ResourceProviderServicer):  # type: ignore[misc]
    async def Handshake(self, request: Any, context: Any) -> Any:
        return provider_pb2.ProviderHandshakeResponse(accept_secrets=True, accept_resources=True, accept_outputs=True)

    async def GetPluginInfo(self, request: Any, context: Any) -> Any:
        return plugin_pb2.PluginInfo(version="0.0.0")

    async def GetSchema(self, request: Any, context: Any) -> Any:
        return provider_pb2.GetSchemaResponse(schema='{"name":"kafka-topology","version":"0.0.0"}')

    async def CheckConfig(self, request: Any, context: Any) -> Any:
        return provider_pb2.CheckResponse(inputs=request.news)

    async def DiffConfig(self, request: Any, context: Any) -> Any:
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE)

    async def Configure(self, request: Any, context: Any) -> Any:
        return provider_pb2.ConfigureResponse(acceptSecrets=True, supportsPreview=True, acceptResources=True)

    async def Check(self, request: Any, context: Any) -> Any:
        request.news.update({"name": request.name})
        return provider_pb2.CheckResponse(inputs=request.news)

    async def Diff(self, request: Any, context: Any) -> Any:
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE)

    async def Create(self, request: Any, context: Any) -> Any:
        request.properties.update({"topicId": "0123456789012345678901"})
        return provider_pb2.CreateResponse(id=request.urn.rpartition("::")[2], properties=request.properties)

    async def Update(self, request: Any, context: Any) -> Any:
        return provider_pb2.UpdateResponse(properties=request.news)

    async def Read(self, request: Any, context: Any) -> Any:
        return provider_pb2.ReadResponse(id=request.id, inputs=request.inputs, properties=request.properties)

    async def Delete(self, request: Any, context: Any) -> Any:
        return empty_pb2.Empty()

    async def Cancel(self, request: Any, context: Any) -> Any:
        return empty_pb2.Empty()


async def serve(provider: Noop) -> None:
    server = grpc.aio.server()
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(provider, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)
    await server.wait_for_termination()


if __name__ == "__main__":
    asyncio.run(serve(Noop()))
