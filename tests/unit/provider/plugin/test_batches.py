"""Single calls become sets, and each caller hears of its own item only."""

from __future__ import annotations

import asyncio

import pytest

from kafka_topology.provider.plugin.batches import Batch


def test_calls_that_come_together_run_as_one_set():
    seen = []

    def run(items):
        seen.append(len(items))
        return [item * 10 for item in items]

    async def call():
        batch = Batch(run)
        return await asyncio.gather(*(batch.submit(n) for n in range(100)))

    assert asyncio.run(call()) == [n * 10 for n in range(100)]
    assert seen == [100]


def test_a_set_is_never_larger_than_the_limit():
    seen = []

    def run(items):
        seen.append(len(items))
        return items

    async def call():
        batch = Batch(run, limit=40)
        await asyncio.gather(*(batch.submit(n) for n in range(100)))

    asyncio.run(call())
    assert seen == [40, 40, 20]


def test_what_arrives_while_sets_are_under_way_gathers_into_one():
    seen = []

    async def call():
        release = asyncio.Event()
        loop = asyncio.get_running_loop()

        def run(items):
            seen.append(len(items))
            asyncio.run_coroutine_threadsafe(release.wait(), loop).result(10)
            return items

        batch = Batch(run, window=0)
        calls = []
        for n in range(20):
            calls.append(asyncio.create_task(batch.submit(n)))
            await asyncio.sleep(0.005)
        release.set()
        assert await asyncio.gather(*calls) == list(range(20))

    asyncio.run(call())
    assert seen == [1, 19]


def test_a_later_call_does_not_wait_long_for_a_set_that_is_under_way():
    async def call():
        release = asyncio.Event()
        loop = asyncio.get_running_loop()

        def run(items):
            if items == ["slow"]:
                asyncio.run_coroutine_threadsafe(release.wait(), loop).result(10)
            return items

        batch = Batch(run, window=0, patience=0.05)
        slow = asyncio.create_task(batch.submit("slow"))
        await asyncio.sleep(0.05)
        assert await batch.submit("quick") == "quick"
        assert not slow.done()
        release.set()
        assert await slow == "slow"

    asyncio.run(call())


def test_nobody_is_waited_for_when_all_callers_are_there():
    """The engine has so many calls under way and no more: when all of them wait here, nobody else can come."""
    seen = []

    def run(items):
        seen.append(len(items))
        return items

    async def call():
        batch = Batch(run)
        await asyncio.gather(*(batch.submit(n) for n in range(8)))
        batch._send_in = lambda _: None  # time does not pass
        await asyncio.wait_for(asyncio.gather(*(batch.submit(n) for n in range(8))), 10)

    asyncio.run(call())
    assert seen == [8, 8]


def test_fewer_callers_than_before_are_not_waited_for_in_vain_for_long():
    async def call():
        batch = Batch(lambda items: items, window=0.001)
        await asyncio.gather(*(batch.submit(n) for n in range(8)))
        for n in range(10):
            assert await batch.submit(n) == n
        assert batch._expected == 1

    asyncio.run(call())


def test_an_error_of_the_set_reaches_every_caller_and_the_next_set_runs():
    def run(items):
        if "bad" in items:
            raise RuntimeError("broken")
        return items

    async def call():
        batch = Batch(run)
        outcomes = await asyncio.gather(batch.submit("bad"), batch.submit("other"), return_exceptions=True)
        assert [str(outcome) for outcome in outcomes] == ["broken", "broken"]
        assert await batch.submit("good") == "good"

    asyncio.run(call())


def test_a_set_that_answers_too_few_items_is_an_error():
    async def call():
        await Batch(lambda _: []).submit("x")

    with pytest.raises(ValueError, match="shorter"):
        asyncio.run(call())
