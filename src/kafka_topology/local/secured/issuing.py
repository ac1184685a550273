"""Keys and certificates, as PEM for librdkafka and the brokers and as PKCS12 for Java clients."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from ..properties import HOST
from .credentials import APP

_DAYS = 3650


@dataclass(frozen=True)
class Identity:
    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate


def authority() -> Identity:
    signs = dict.fromkeys(("key_cert_sign", "crl_sign"), True)
    others = ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement")
    usage = x509.KeyUsage(**signs, **dict.fromkeys((*others, "encipher_only", "decipher_only"), False))
    return _issued("kafka-topology local CA", {x509.BasicConstraints(ca=True, path_length=0): True, usage: True})


def broker(ca: Identity) -> Identity:
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ip_address(HOST))])
    use = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
    return _issued("localhost", {names: False, use: False}, ca)


def client(ca: Identity) -> Identity:
    return _issued(APP, {x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]): False}, ca)


def _issued(name: str, extensions: dict[x509.ExtensionType, bool], ca: Identity | None = None) -> Identity:
    """A new key and its certificate, signed by the authority or by itself. Extensions say whether they are critical."""
    key = ec.generate_private_key(ec.SECP256R1())
    signer = key if ca is None else ca.key
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    yesterday = datetime.now(UTC) - timedelta(days=1)  # for clocks that are slow
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if ca is None else ca.certificate.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(yesterday)
        .not_valid_after(yesterday + timedelta(days=_DAYS))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
    )
    for extension, critical in extensions.items():
        builder = builder.add_extension(extension, critical=critical)
    return Identity(key, builder.sign(signer, hashes.SHA256()))


def pem(*chain: Identity) -> bytes:
    return b"".join(each.certificate.public_bytes(Encoding.PEM) for each in chain)


def pem_key(identity: Identity) -> bytes:
    return identity.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def keystore(client: Identity, ca: Identity, password: str) -> bytes:
    secret = BestAvailableEncryption(password.encode())
    return pkcs12.serialize_key_and_certificates(b"client", client.key, client.certificate, [ca.certificate], secret)


def truststore(ca: Identity, password: str) -> bytes:
    trusted = pkcs12.PKCS12Certificate(ca.certificate, b"ca")
    return pkcs12.serialize_java_truststore([trusted], BestAvailableEncryption(password.encode()))
