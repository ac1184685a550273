"""What listens at an address, when it is not a Kafka that answers."""

from __future__ import annotations

import socket

import pytest
from listening import server

from kafka_topology.cluster.cluster import Cluster
from kafka_topology.cluster.connecting.errors import WrongSettingsError
from kafka_topology.cluster.connecting.probe import Listener, listener
from kafka_topology.cluster.connecting.settings import client_only
from kafka_topology.cluster.outcomes import ClusterUnreachableError


def http(connection):
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def tls(connection):
    connection.sendall(b"\x15\x03\x03\x00\x02\x02\x50")


CASES = [
    (None, Listener.SILENT, "accepts connections and does not answer. The broker may hang"),
    (socket.socket.close, Listener.CLOSES, "probably expects TLS or a SASL login"),
    (http, Listener.OTHER, "does not speak Kafka's protocol"),
    (tls, Listener.TLS, "probably expects TLS, and the client uses PLAINTEXT"),
]


@pytest.mark.parametrize(("answer", "found", "said"), CASES, ids=[found.name for _, found, _ in CASES])
def test_what_listens_is_said_as_it_is(answer, found, said):
    with server(answer) as address:
        assert listener(address, 0.3) is found
        cluster = Cluster(client_only({"bootstrap.servers": address}, 1))
        with pytest.raises(ClusterUnreachableError) as error:
            cluster.connect()
        cluster.close()
        assert said in str(error.value)


def test_nothing_listens():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    assert listener(f"127.0.0.1:{port}", 0.3) is None


def test_a_port_that_does_not_exist_is_refused():
    """librdkafka would take 34463 for it."""
    with pytest.raises(WrongSettingsError, match=r"'127\.0\.0\.1:99999' has no possible port"):
        Cluster(client_only({"bootstrap.servers": "127.0.0.1:9092,127.0.0.1:99999"}, 1))
