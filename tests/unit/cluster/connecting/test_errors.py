"""Settings that no client can be made of are one plain error, whichever library they are for."""

from __future__ import annotations

import subprocess
import sys

import pytest
from listening import server

from kafka_topology.cluster.cluster import Cluster
from kafka_topology.cluster.connecting.errors import WrongSettingsError, not_reached
from kafka_topology.cluster.connecting.second_client import SecondClient
from kafka_topology.cluster.connecting.settings import client_only
from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.provider.config.settings import Settings
from kafka_topology.spark_checks.reading.offsets import Offsets

ADDRESS = {"bootstrap.servers": "127.0.0.1:1"}
TLS = {**ADDRESS, "security.protocol": "SSL"}
WRONG = {
    "a path instead of PEM": ({**TLS, "ssl.ca.pem": "/etc/ca.pem"}, "'ssl.ca.pem' takes the PEM text itself"),
    "a file that is not there": ({**TLS, "ssl.ca.location": "/nope/ca.pem"}, "ssl.ca.location"),
    "a typo": ({**ADDRESS, "sasl.mechansim": "PLAIN"}, 'No such configuration property: "sasl.mechansim"'),
    "a bad value": ({**ADDRESS, "socket.timeout.ms": "soon"}, '"socket.timeout.ms"'),
    "no password": ({**ADDRESS, "security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN"}, "sasl.password"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_setting_is_named(case):
    client, expected = WRONG[case]
    with pytest.raises(WrongSettingsError, match=r"The client for Kafka at 127\.0\.0\.1:1 cannot be set up") as error:
        Cluster(client_only(client, 1))
    assert expected in str(error.value)
    assert "cimpl" not in str(error.value)
    with pytest.raises(WrongSettingsError, match="cannot be set up"):
        Offsets(client)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), 3601])
def test_a_timeout_that_no_request_can_have_is_refused(seconds):
    with pytest.raises(WrongSettingsError, match="must be more than 0 and at most 3600 s"):
        Cluster(client_only(ADDRESS, seconds))


def test_the_second_client_says_it_too():
    client = {**TLS, "ssl.ca.pem": "/etc/ca.pem"}
    answer = SecondClient(client_only(client, 1)).call("reading the users", lambda _: None)
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.UNREACHABLE
    assert "a certificate or key of ssl.ca.pem cannot be read" in answer.message


def test_a_secret_in_a_message_is_redacted():
    settings = Settings("127.0.0.1:1", {**ADDRESS, "hunter2": "x"}, frozenset({"hunter2"}), request_timeout=1)
    with pytest.raises(WrongSettingsError) as error:
        Cluster(settings)
    assert "hunter2" not in str(error.value)


def test_parts_of_the_second_client_can_be_asked_for_by_many_threads_at_once():
    """In a process of its own: modules are imported once."""
    program = """
from concurrent.futures import ThreadPoolExecutor
from kafka_topology.cluster.cluster import Cluster
from kafka_topology.cluster.connecting.settings import client_only
cluster = Cluster(client_only({"bootstrap.servers": "127.0.0.1:1"}, 0.1))
asks = [
    lambda: cluster.groups.committed({"g": [("t", 0)]}),
    lambda: cluster.replicas.moving(),
    lambda: cluster.replicas.fenced(),
    lambda: cluster.security,
    lambda: cluster.survey,
]
with ThreadPoolExecutor(10) as pool:
    for answer in [pool.submit(ask) for ask in asks * 2]:
        answer.result()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_a_broker_that_answers_is_not_blamed_for_those_that_it_names():
    """As after the loss of the controllers: the client reports the dead brokers, and the living one answers."""
    reasons = ["127.0.0.1:1/2: Connect to ipv4#127.0.0.1:1 failed: Connection refused"]
    with server(lambda connection: connection.sendall(b"\0\0\0\4\0\0\x6b\x74")) as address:
        said = str(not_reached(client_only({"bootstrap.servers": address}, 1), reasons, 1.0, 0.2))
    assert said.startswith(
        f"Kafka at {address} answers, and the brokers that it names cannot be reached: 127.0.0.1:1/2"
    )
    assert "Nothing listens at this address" not in said


def test_an_address_that_does_not_answer_is_named_beside_one_that_refuses():
    reasons = ["127.0.0.1:1/bootstrap: Connect to ipv4#127.0.0.1:1 failed: Connection refused"]
    with server(None) as hole:
        said = str(not_reached(client_only({"bootstrap.servers": f"127.0.0.1:1,{hole}"}, 1), reasons, 1.0, 0.2))
    assert f"Connection refused; {hole} does not answer" in said
