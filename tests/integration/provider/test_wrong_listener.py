"""A client that speaks another protocol than the listener says what the listener probably expects."""

from __future__ import annotations

import time

import pytest

from kafka_topology.cluster.cluster import Cluster
from kafka_topology.cluster.connecting.settings import client_only
from kafka_topology.cluster.outcomes import ClusterUnreachableError
from kafka_topology.local.state import load

LOGIN = {"sasl.mechanism": "SCRAM-SHA-512", "sasl.username": "nobody", "sasl.password": "hunter2"}
CASES = [
    ("SSL", {"security.protocol": "PLAINTEXT"}, "probably expects TLS, and the client uses PLAINTEXT"),
    ("SASL_PLAINTEXT", {"security.protocol": "PLAINTEXT"}, "probably expects a SASL login"),
    ("SASL_SSL", {"security.protocol": "SASL_PLAINTEXT", **LOGIN}, "probably expects TLS"),
    ("PLAINTEXT", {"security.protocol": "SSL"}, "The port seems to expect no TLS"),
    ("PLAINTEXT", {"security.protocol": "SASL_PLAINTEXT", **LOGIN}, "The listener has no SASL login"),
    ("SASL_PLAINTEXT", {"security.protocol": "SASL_PLAINTEXT", **LOGIN}, "Check the user, the password"),
]


@pytest.mark.parametrize(("listener", "client", "expected"), CASES)
def test_the_likely_reason_and_the_real_time_are_said(secure_kafka, listener, client, expected):
    port = load(secure_kafka.data).nodes[0].listeners[listener]
    cluster = Cluster(client_only({"bootstrap.servers": f"127.0.0.1:{port}", **client}, 10))
    started = time.monotonic()
    with pytest.raises(ClusterUnreachableError) as error:
        cluster.connect()
    taken = time.monotonic() - started
    cluster.close()
    said = str(error.value)
    assert expected in said
    assert taken < 8
    assert "10 s" not in said
    assert "hunter2" not in said
