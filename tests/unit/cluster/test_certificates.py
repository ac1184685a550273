"""When the certificates of TLS listeners expire, read from a listener in this process."""

from __future__ import annotations

import socket
from datetime import UTC, datetime, timedelta

import pytest
from cryptography.hazmat.primitives import serialization
from tls_listener import certificate, listening

from kafka_topology.cluster.connecting.settings import client_only
from kafka_topology.cluster.health.certificates import read_certificates, validity
from kafka_topology.cluster.live.certificates import Certificate
from kafka_topology.cluster.outcomes import Failure, FailureKind

NOW = datetime.now(UTC).replace(microsecond=0)


def read(address, **client):
    settings = client_only({"bootstrap.servers": address, "security.protocol": "SSL", **client}, 10)
    return read_certificates(settings, [address])[address]


@pytest.mark.parametrize(
    ("begin", "end", "refused"),
    [
        (timedelta(days=-1), timedelta(days=20), None),
        (timedelta(days=-20), timedelta(days=-1), "certificate has expired"),
        (timedelta(days=1), timedelta(days=20), "certificate is not yet valid"),
    ],
)
def test_the_dates_of_a_certificate_and_whether_clients_refuse_it(tmp_path, begin, end, refused):
    begin, end = NOW + begin, NOW + end
    with listening(tmp_path, begin, end) as (address, authority):
        assert read(address, **{"ssl.ca.location": str(authority)}) == Certificate(address, begin, end, refused)
        unchecked = {"enable.ssl.certificate.verification": "false"}
        assert read(address, **unchecked) == Certificate(address, begin, end, None)


def test_another_reason_to_refuse_a_certificate_is_not_its_age(tmp_path):
    begin, end = NOW - timedelta(days=1), NOW + timedelta(days=20)
    with listening(tmp_path, begin, end) as (address, _):
        assert read(address) == Certificate(address, begin, end, None)  # nobody trusts its authority


def test_what_cannot_be_read_is_a_failure(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = f"127.0.0.1:{closed.getsockname()[1]}"
    found = read(address)
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.UNCERTAIN
    assert f"reading the certificate of {address}: " in found.message
    found = read(address, **{"ssl.ca.location": str(tmp_path / "missing.pem")})
    assert found.kind is FailureKind.UNREACHABLE
    with pytest.raises(ValueError, match="its certificate cannot be read"):
        validity(b"\x30\x03\x02\x01\x05")


def test_dates_after_2049_are_written_in_another_way():
    begin, end = datetime(1999, 5, 1, tzinfo=UTC), datetime(2061, 2, 3, 4, 5, 6, tzinfo=UTC)
    signed, _ = certificate(begin, end)
    assert validity(signed.public_bytes(serialization.Encoding.DER)) == (begin, end)
