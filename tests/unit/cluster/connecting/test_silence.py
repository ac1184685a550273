"""One time for all requests of a command that nobody answers."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from listening import server

from kafka_topology.cluster.connecting.probe import unreached
from kafka_topology.cluster.connecting.second_client import SecondClient
from kafka_topology.cluster.connecting.settings import client_only
from kafka_topology.cluster.connecting.silence import Silence
from kafka_topology.cluster.outcomes import Failure, FailureKind

SETTINGS = client_only({"bootstrap.servers": "b:1"}, 10)


def silent(silence, requests):
    """How long so many requests without an answer take."""
    waited = 0.0
    for _ in range(requests):
        seconds = silence.next
        silence.spend(seconds)
        waited += seconds
    return waited


def test_requests_without_an_answer_share_the_timeout():
    assert silent(Silence(SETTINGS), 5) < 10
    assert silent(Silence(SETTINGS), 40) < 12


def test_after_a_broker_that_does_not_answer_there_is_time_for_those_that_do():
    silence = Silence(SETTINGS)
    silent(silence, 3)
    assert silence.next >= 0.4


def test_answers_take_as_long_as_they_take():
    silence = Silence(SETTINGS)
    assert [silence.next for _ in range(100)] == [silence.next] * 100
    assert not silence.is_over


def test_requests_are_repeated_while_there_is_time_for_others():
    silence, asked = Silence(client_only({"bootstrap.servers": "b:1"}, 0.5)), []

    def ask():
        asked.append(silence.next)
        silence.spend(silence.next)
        return Failure(FailureKind.UNCERTAIN, "nobody")

    assert silence.patient().one(ask) == Failure(FailureKind.UNCERTAIN, "nobody")
    assert len(asked) > 1
    assert silence.is_over
    assert silence.next > 0.01


def test_a_provider_has_the_whole_timeout_for_each_request():
    silence = Silence(replace(SETTINGS, silence=None))
    assert silent(silence, 10) == 100
    assert not silence.is_over


def test_addresses_where_nobody_answers():
    with server(None) as hole, server(lambda connection: connection.close()) as closing:
        assert unreached([hole, "127.0.0.1:1", closing], 0.3) == {hole: True, "127.0.0.1:1": False}


@pytest.mark.parametrize("requests", [1, 4])
def test_a_client_names_who_does_not_answer_and_ends_in_time(requests):
    with server(None) as hole:
        second = SecondClient(client_only({"bootstrap.servers": hole}, 2))
        started = time.monotonic()
        failures = [second.call("listing groups", lambda client: client.list_groups()) for _ in range(requests)]
        assert time.monotonic() - started < 4
        second.close()
    assert {each.kind for each in failures} == {FailureKind.UNCERTAIN}
    assert f"The broker at {hole} does not answer" in failures[0].message
