"""What a missing answer is, and what is an answer: only the first is asked for again."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError

from kafka_topology.cluster.connecting.answers import Asking, failure_of
from kafka_topology.cluster.connecting.settings import client_only
from kafka_topology.cluster.outcomes import FailureKind

SETTINGS = client_only({"bootstrap.servers": "b:1", "sasl.password": "hunter2"}, 1)
# The client itself gave up: another try, on another connection, may be answered.
SILENCE = ("_TRANSPORT", "_TIMED_OUT", "_DESTROY_BROKER", "_ALL_BROKERS_DOWN", "_RESOLVE", "_OUTDATED", "_RETRY")
# The connection is fine, and the answer will be another one in a moment.
NOT_YET = ("_NOENT", "_WAIT_COORD", "NOT_COORDINATOR", "LEADER_NOT_AVAILABLE", "OFFSET_NOT_AVAILABLE")
FINAL = {
    "_UNKNOWN_TOPIC": FailureKind.MISSING,
    "UNKNOWN_TOPIC_OR_PART": FailureKind.MISSING,
    "TOPIC_ALREADY_EXISTS": FailureKind.EXISTS,
    "TOPIC_AUTHORIZATION_FAILED": FailureKind.DENIED,
    "_INVALID_ARG": FailureKind.REJECTED,
    "_UNSUPPORTED_FEATURE": FailureKind.REJECTED,
    "_AUTHENTICATION": FailureKind.REJECTED,
    "INVALID_CONFIG": FailureKind.REJECTED,
    "POLICY_VIOLATION": FailureKind.REJECTED,
}


def heard(name):
    ask = Asking(None, SETTINGS)
    return ask.failure("describing topic 't'", KafkaError(getattr(KafkaError, name))).kind, ask.is_lost


@pytest.mark.parametrize("name", SILENCE)
def test_an_error_of_the_client_itself_is_no_answer_and_ends_its_connection(name):
    assert heard(name) == (FailureKind.UNCERTAIN, True)


@pytest.mark.parametrize("name", NOT_YET)
def test_what_is_not_known_yet_is_asked_again_on_the_same_connection(name):
    assert heard(name) == (FailureKind.UNCERTAIN, False)


@pytest.mark.parametrize(("name", "kind"), FINAL.items())
def test_what_would_come_again_is_an_answer(name, kind):
    assert heard(name) == (kind, False)


def test_a_controller_that_is_none_any_more_ends_the_connection():
    assert heard("NOT_CONTROLLER") == (FailureKind.UNCERTAIN, True)


def test_a_secret_shows_in_no_failure():
    failure = failure_of(SETTINGS, "describing topic 't'", KafkaError(KafkaError.INVALID_CONFIG, "password hunter2"))
    assert "hunter2" not in failure.message
