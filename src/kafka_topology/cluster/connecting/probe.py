"""Finds out what listens at an address, because librdkafka only says that it got no answer.

Sends each address in turn one request that every Kafka since 0.10 answers, without TLS and without a login.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

_PATIENCE: Final = 2.0
_TLS_ALERT, _TLS_HANDSHAKE = b"\x15\x03", b"\x16\x03"
_CORRELATION: Final = 0x6B74
# ApiVersions, version 0, with the client id "kt".
_BODY: Final = struct.pack(">hhih", 18, 0, _CORRELATION, 2) + b"kt"
_REQUEST: Final = struct.pack(">i", len(_BODY)) + _BODY


class Listener(Enum):
    KAFKA = "answers as Kafka does"
    CLOSES = "closes every connection without an answer"
    TLS = "answers with TLS"
    SILENT = "accepts connections and does not answer"
    OTHER = "answers, but not as Kafka does"


def address_of(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def unreached(addresses: Collection[str], patience: float = _PATIENCE) -> dict[str, bool]:
    """The addresses where nobody answers, and whether they are silent, instead of refusing. Asks all at once."""
    found: dict[str, bool | None] = {}

    def ask(address: str) -> None:
        found[address] = _is_silent(address, patience)

    threads = [threading.Thread(target=ask, args=(address,), daemon=True) for address in addresses]
    for thread in threads:
        thread.start()
    ends = time.monotonic() + 2 * patience
    for thread in threads:
        thread.join(max(ends - time.monotonic(), 0))
    known = {address: found.get(address, True) for address in addresses}
    return {address: silent for address, silent in known.items() if silent is not None}


def _is_silent(address: str, patience: float) -> bool | None:
    """None if something answers."""
    host, _, port = address.strip().rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), patience) as connection:
            return True if _heard(connection) is Listener.SILENT else None
    except TimeoutError:
        return True
    except (OSError, ValueError):
        return False


def listener(servers: str, patience: float = _PATIENCE) -> Listener | None:
    """How the first address that accepts a connection behaves; None if no address accepts one."""
    for address in servers.split(","):
        host, _, port = address.strip().rpartition(":")
        try:
            with socket.create_connection((host.strip("[]"), int(port)), patience) as connection:
                return _heard(connection)
        except (OSError, ValueError):
            continue
    return None


def _heard(connection: socket.socket) -> Listener:
    try:
        connection.sendall(_REQUEST)
        answer = connection.recv(8)
    except TimeoutError:
        return Listener.SILENT
    except OSError:
        return Listener.CLOSES
    if not answer:
        return Listener.CLOSES
    if answer[:2] in {_TLS_ALERT, _TLS_HANDSHAKE}:
        return Listener.TLS
    return Listener.KAFKA if answer[4:8] == struct.pack(">i", _CORRELATION) else Listener.OTHER
