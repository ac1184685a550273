"""Messages to the person at the terminal: few calls of the engine, whatever a resource has to say."""

from __future__ import annotations

import asyncio

from kafka_topology.provider.plugin.engine_log import EngineLog


class Heard(EngineLog):
    def __init__(self):
        super().__init__()
        self.calls = []

    async def say(self, severity, message, urn=""):
        self.calls.append((severity, message, urn))


def said(count):
    log = Heard()
    asyncio.run(log.say_all("WARNING", [f"message {number}" for number in range(count)], "urn"))
    return log.calls


def test_a_few_messages_are_told_one_by_one():
    assert said(0) == []
    assert said(2) == [("WARNING", "message 0", "urn"), ("WARNING", "message 1", "urn")]


def test_many_messages_are_one_call():
    [(_, text, _)] = said(100)
    assert text.splitlines() == [f"message {number}" for number in range(100)]


def test_thousands_are_cut():
    [(_, text, _)] = said(2500)
    assert text.splitlines()[-2:] == ["message 99", "and 2,400 more"]
