"""A thousand topics with the engine's default parallelism: counted by requests, not by time."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from uuid import uuid4

from grpc_engine import provider

from kafka_topology.cluster.cluster import Cluster
from kafka_topology.provider.plugin.property_codec import decode

COUNT = int(os.environ.get("KAFKA_TOPOLOGY_SCALE", "1000"))
PARALLEL = 8  # the engine's default on the smallest machine with two cores


class CountingAdmin:
    """librdkafka's admin client, with every request counted by its kind."""

    def __init__(self, admin, counts):
        self._admin = admin
        self._counts = counts

    def __getattr__(self, name):
        method = getattr(self._admin, name)

        def counted(*arguments, **options):
            self._counts[name] += 1
            return method(*arguments, **options)

        return method if name == "poll" else counted


def connect_counting(counts):
    def connect(settings):
        cluster = Cluster(settings)
        cluster.connect()
        line = cluster._connection._line
        line.admin = CountingAdmin(line.admin, counts)
        return cluster

    return connect


async def in_parallel(calls):
    """The calls with no more of them at a time than the engine makes."""
    turns = asyncio.Semaphore(PARALLEL)

    async def one(call):
        async with turns:
            return await call

    return await asyncio.gather(*(one(call) for call in calls))


def test_a_thousand_topics_take_their_requests_in_batches(kafka):
    prefix, counts = f"scale-{uuid4().hex[:8]}", Counter()

    def inputs(number, **others):
        name = f"{prefix}-{number:04}"
        return {"name": name, "partitions": 1, "replication": 1, "deletion": "allowed", **others}

    def taken():
        now = dict(counts)
        counts.clear()
        return now

    async def run():
        config = {"bootstrapServers": kafka.bootstrap_servers, "maxDeletes": COUNT}
        async with provider(config, connect_counting(counts)) as client:
            states = [s for _, s in await in_parallel(client.create(inputs(n)) for n in range(COUNT))]
            created = taken()
            found = await in_parallel(client.read(state["name"], inputs(n)) for n, state in enumerate(states))
            assert [decode(one.properties) for one in found] == states
            read = taken()
            changed = {"config": {"retention.ms": "60000"}}
            states = await in_parallel(client.update(state, inputs(n, **changed)) for n, state in enumerate(states))
            updated = taken()
            await in_parallel(client.delete(state) for state in states)
            return created, read, updated, taken()

    created, read, updated, deleted = asyncio.run(run())
    print(f"requests for {COUNT} topics: {created=} {read=} {updated=} {deleted=}")
    # With eight callers the sets are of up to eight; on a busy machine some callers come late.
    assert created["create_topics"] <= COUNT / 4
    assert sum(created.values()) <= COUNT * 1.5
    assert sum(read.values()) <= 60
    assert updated["incremental_alter_configs"] <= COUNT / 4
    assert sum(updated.values()) <= COUNT * 2
    # A set of deletions asks twice for three offsets of its topics, once who writes, and looks before and after.
    sets = deleted["delete_topics"]
    assert sets <= COUNT / 5
    assert deleted["list_offsets"] <= sets * 7
    assert sum(deleted.values()) <= sets * 14
