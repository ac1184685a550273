"""A listener of this process that speaks TLS, with a certificate of any age."""

from __future__ import annotations

import ipaddress
import socket
import ssl
import threading
from contextlib import contextmanager

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def certificate(begin, end):
    """A certificate for this machine, signed by itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "broker")])
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(x509.random_serial_number()).not_valid_before(begin).not_valid_after(end)
    signed = builder.add_extension(address, critical=False).sign(key, hashes.SHA256())
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return signed, secret


@contextmanager
def listening(folder, begin, end):
    """The address of a listener with such a certificate, and the file of the authority that signed it."""
    signed, key = certificate(begin, end)
    authority, chain = folder / "authority.pem", folder / "chain.pem"
    authority.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    chain.write_bytes(authority.read_bytes() + key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain)
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_serve, args=(server, context), daemon=True).start()
        yield f"127.0.0.1:{server.getsockname()[1]}", authority


def _serve(server, context):
    while True:
        try:
            plain, _ = server.accept()
        except OSError:
            return
        try:
            with context.wrap_socket(plain, server_side=True) as secured:
                secured.recv(1)
        except OSError:
            continue  # a client that refuses the certificate
