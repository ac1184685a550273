"""A provider whose `Topology` does nothing but publish its views: what the engine itself costs. Started by
topology_resource.py in place of ours.

TOPICS in the environment says how many views there are. Each has the properties that ours has.
"""

from __future__ import annotations

import asyncio
import os
from typing import Any

import grpc.aio
from google.protobuf import empty_pb2
from noop_provider import Noop, serve

from kafka_topology.provider.plugin.property_codec import encode
from kafka_topology.provider.plugin.protocol import provider_pb2, resource_status_pb2, resource_status_pb2_grpc

TOPIC = "kafka-topology:index:Topic"
AT_ONCE = 500
_View = resource_status_pb2.ViewStep
_State = resource_status_pb2.ViewStepState


def view(number: int) -> Any:
    name = f"bench-{number:05}"
    inputs = {"name": name, "partitions": 1, "replication": 1, "deletion": "force", "config": {"retention.ms": "60000"}}
    outputs = {
        **inputs,
        "topicId": "0123456789012345678901",
        "undeclared": [],
        "clusterId": "0123456789012345678901",
        "id": name,
        "__version": "0.0.0",
    }
    return _State(type=TOPIC, name=name, inputs=encode(inputs), outputs=encode(outputs))


async def publish(request: Any, op: str) -> None:
    numbers = range(int(os.environ["TOPICS"]))
    async with grpc.aio.insecure_channel(request.resource_status_address) as channel:
        stub = resource_status_pb2_grpc.ResourceStatusStub(channel)
        for start in range(0, len(numbers), AT_ONCE):
            states = [view(number) for number in numbers[start : start + AT_ONCE]]
            side = "old" if op == "DELETE" else "new"
            steps = [_View(op=_View.Op.Value(op), type=TOPIC, name=each.name, **{side: each}) for each in states]
            await stub.PublishViewSteps(
                resource_status_pb2.PublishViewStepsRequest(token=request.resource_status_token, steps=steps)
            )


class NoopViews(Noop):
    async def Create(self, request: Any, context: Any) -> Any:
        await publish(request, "CREATE")
        return provider_pb2.CreateResponse(id="topology", properties=request.properties)

    async def Delete(self, request: Any, context: Any) -> Any:
        await publish(request, "DELETE")
        return empty_pb2.Empty()


if __name__ == "__main__":
    asyncio.run(serve(NoopViews()))
