"""Access through gRPC on a real cluster: half-way failures, lost answers, and requests for sets."""

from __future__ import annotations

import asyncio
from collections import Counter
from uuid import uuid4

import grpc
import pytest
from grpc_engine import detail, provider

from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.provider.plugin.property_codec import decode, encode
from kafka_topology.provider.plugin.protocol import provider_pb2
from kafka_topology.provider.plugin.server import connect

ACCESS = "kafka-topology:index:Access"


class Watched:
    """The real calls, counted; `instead` may answer for one of them."""

    def __init__(self, calls):
        self.calls = calls
        self.counts = Counter()
        self.instead = {}

    def __getattr__(self, name):
        def call(*arguments):
            self.counts[name] += 1
            return self.instead.get(name, lambda real, *given: real(*given))(getattr(self.calls, name), *arguments)

        return call


def on_watched_cluster(kafka, steps, **config):
    watched = []

    def connect_watched(settings):
        cluster = connect(settings)
        watched.append(Watched(cluster.security.access))
        cluster.security.access = watched[-1]
        return cluster

    async def run():
        async with provider({"bootstrapServers": kafka.bootstrap_servers, **config}, connect_watched) as client:
            return await steps(client.of(ACCESS), watched)

    return asyncio.run(run())


def inputs(principal, *operations):
    rule = {"resource": "topic", "name": "t", "pattern": "literal", "operations": sorted(operations)}
    return {"principal": principal, "rules": [{**rule, "host": "*", "permission": "allow"}]}


async def create(client, wanted):
    request = provider_pb2.CreateRequest(urn=client.urn("x"), properties=encode(wanted), type=ACCESS)
    return decode((await client.stub.Create(request)).properties)


async def update(client, old, new):
    request = provider_pb2.UpdateRequest(
        id=old["principal"],
        urn=client.urn("x"),
        olds=encode(old),
        old_inputs=encode({key: old[key] for key in ("principal", "rules")}),
        news=encode(new),
        type=ACCESS,
    )
    return decode((await client.stub.Update(request)).properties)


async def operations(client, principal):
    response = await client.read(principal)
    return [rule["operations"] for rule in decode(response.inputs).get("rules", [])]


@pytest.fixture
def principal():
    return f"User:{uuid4().hex[:8]}"


def test_a_failure_half_way_takes_nothing_away_and_the_next_run_completes_it(kafka, principal):
    async def steps(client, watched):
        old = await create(client, inputs(principal, "Read", "Describe"))
        denied = Failure(FailureKind.DENIED, "not allowed today")
        watched[0].instead["create_acls"] = lambda _, acls: dict.fromkeys(acls, denied)
        new = inputs(principal, "Write", "Describe")
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await update(client, old, new)
        unfinished = detail(failed, provider_pb2.ErrorResourceInitFailed)
        assert unfinished.id == principal
        assert "not allowed today" in unfinished.reasons[0]
        assert await operations(client, principal) == [["Describe", "Read"]]
        state = decode(unfinished.properties)
        assert state["rules"][0]["operations"] == ["Describe", "Read"]
        assert state["undeclared"] == []

        watched[0].instead.clear()
        await update(client, state, new)
        assert await operations(client, principal) == [["Describe", "Write"]]

    on_watched_cluster(kafka, steps)


def test_answers_that_get_lost_after_the_broker_acted_change_nothing(kafka, principal):
    async def steps(client, watched):
        def lost(real, acls):
            real(acls)
            return dict.fromkeys(acls, Failure(FailureKind.UNCERTAIN, "timed out"))

        old = await create(client, inputs(principal, "Read"))
        watched[0].instead = {"create_acls": lost, "delete_acls": lost}
        await update(client, old, inputs(principal, "Write"))
        assert await operations(client, principal) == [["Write"]]

    on_watched_cluster(kafka, steps)


def test_many_principals_need_few_requests(kafka):
    principals = [f"User:{uuid4().hex[:8]}" for _ in range(200)]

    async def steps(client, watched):
        states = await asyncio.gather(*(create(client, inputs(p, "Read", "Write")) for p in principals))
        made = Counter(watched[0].counts)
        reads = await asyncio.gather(*(client.read(p, inputs(p, "Read", "Write")) for p in principals))
        assert [decode(read.inputs)["principal"] for read in reads] == principals
        read = watched[0].counts - made
        assert made["create_acls"] <= 20
        assert read["describe_acls"] <= 20
        await client.runs.begin()
        await asyncio.gather(
            *(
                client.stub.Delete(
                    provider_pb2.DeleteRequest(
                        id=state["principal"],
                        urn=client.urn("x"),
                        properties=encode(state),
                        old_inputs=encode({key: state[key] for key in ("principal", "rules")}),
                        type=ACCESS,
                    )
                )
                for state in states
            )
        )
        assert 0 < watched[-1].counts["delete_acls"] <= 20

    on_watched_cluster(kafka, steps, maxDeletes=1000)
