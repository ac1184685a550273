"""Reading Java's JKS key stores, the one format of keytool that Python can open without a library.

keytool cannot write a private key as PEM, which librdkafka wants. The format and its key protection
are those of `sun.security.provider.JavaKeyStore` and `KeyProtector`. The protection is weak: such a
file must not outlive its conversion.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import struct
from dataclasses import dataclass, field

_MAGIC = 0xFEEDFEED
_DIGEST = 20
_KEY_ENTRY = 1


@dataclass(frozen=True)
class KeyEntry:
    """A private key (PKCS#8) and its certificates, its own first, all DER."""

    key: bytes = field(repr=False)
    chain: tuple[bytes, ...]


def pem(kind: str, der: bytes) -> str:
    text = base64.b64encode(der).decode("ascii")
    lines = [text[at : at + 64] for at in range(0, len(text), 64)]
    return "\n".join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----", ""])


def read_keys(store: bytes, password: str) -> dict[str, KeyEntry]:
    """The key entries by alias. ValueError for anything else than such a store."""
    reader = _Reader(store)
    magic, _version, count = reader.unpack(">III")
    if magic != _MAGIC:
        raise ValueError("not a JKS key store")
    entries = {}
    for _ in range(count):
        (kind,) = reader.unpack(">I")
        alias = reader.sized(">H").decode("utf-8")
        reader.unpack(">Q")  # when it was made
        if kind != _KEY_ENTRY:
            raise ValueError(f"{alias} is not a key")
        protected = reader.sized(">I")
        (certificates,) = reader.unpack(">I")
        chain = tuple(_certificate(reader) for _ in range(certificates))
        entries[alias] = KeyEntry(_unprotect(protected, password), chain)
    return entries


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, size: int) -> bytes:
        taken = self.data[self.at : self.at + size]
        if len(taken) < size:
            raise ValueError("the key store is cut short")
        self.at += size
        return taken

    def unpack(self, form: str) -> tuple[int, ...]:
        return struct.unpack(form, self.take(struct.calcsize(form)))

    def sized(self, form: str) -> bytes:
        return self.take(self.unpack(form)[0])

    def der(self) -> bytes:
        """The content of the DER element that comes next."""
        self.take(1)
        (size,) = self.take(1)
        if size & 0x80:
            size = int.from_bytes(self.take(size & 0x7F), "big")
        return self.take(size)


def _certificate(reader: _Reader) -> bytes:
    reader.sized(">H")  # its type, X.509
    return reader.sized(">I")


def _unprotect(info: bytes, password: str) -> bytes:
    """Undo `KeyProtector`: a salt, the key under a stream of SHA-1 digests, a digest of the key."""
    outer = _Reader(_Reader(info).der())
    outer.der()  # the algorithm
    data = outer.der()
    salt, hidden, check = data[:_DIGEST], data[_DIGEST:-_DIGEST], data[-_DIGEST:]
    secret = password.encode("utf-16-be")
    stream, block = b"", salt
    while len(stream) < len(hidden):
        block = hashlib.sha1(secret + block).digest()  # noqa: S324 - the format's choice
        stream += block
    key = bytes(a ^ b for a, b in zip(hidden, stream, strict=False))
    if not hmac.compare_digest(hashlib.sha1(secret + key).digest(), check):  # noqa: S324
        raise ValueError("wrong password of the key store")
    return key
