"""A wire between a client and the brokers that loses answers: the broker acts, and nobody hears of it."""

from __future__ import annotations

import socket
import struct
import threading
from collections import Counter
from contextlib import ExitStack, suppress
from typing import Literal, Self

# Kafka's numbers for what changes a cluster.
API_KEYS = {
    "OffsetCommit": 8,
    "CreateTopics": 19,
    "DeleteTopics": 20,
    "CreatePartitions": 37,
    "DeleteGroups": 42,
    "IncrementalAlterConfigs": 44,
}
NAMES = {key: name for name, key in API_KEYS.items()}


class LossyWire:
    """Loses the first answer to each kind of request in API_KEYS: the client hears nothing ("silence"), or the
    connection ends ("hang-up"). `lost` counts the answers that came from a broker and went no further."""

    def __init__(self, bootstrap_servers: str, manner: Literal["silence", "hang-up"]) -> None:
        self.lost: Counter[str] = Counter()
        self._manner = manner
        self._lock = threading.Lock()
        self._open = ExitStack()
        brokers = [(host, int(port)) for host, port in (one.split(":") for one in bootstrap_servers.split(","))]
        listeners = {broker: self._open.enter_context(socket.create_server(("127.0.0.1", 0))) for broker in brokers}
        # Brokers send clients their addresses. The same text with our ports keeps the client on this wire.
        self._addresses = [
            (_address(*broker), _address(broker[0], listener.getsockname()[1]))
            for broker, listener in listeners.items()
        ]
        self.bootstrap_servers = ",".join(f"127.0.0.1:{_port(one)}" for one in listeners.values())
        for broker, listener in listeners.items():
            _start(self._accept, listener, broker)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def _accept(self, listener: socket.socket, broker: tuple[str, int]) -> None:
        with suppress(OSError):  # closed at the end
            while True:
                client, _ = listener.accept()
                server = socket.create_connection(broker)
                asked: dict[bytes, int] = {}
                _start(self._ask, client, server, asked)
                _start(self._answer, client, server, asked)

    def _ask(self, client: socket.socket, server: socket.socket, asked: dict[bytes, int]) -> None:
        with client, server, suppress(OSError):
            while frame := _frame(client):
                asked[frame[4:8]] = struct.unpack(">h", frame[:2])[0]
                _send(server, frame)

    def _answer(self, client: socket.socket, server: socket.socket, asked: dict[bytes, int]) -> None:
        with client, server, suppress(OSError):
            while frame := _frame(server):
                if self._loses(asked.pop(frame[:4])):
                    if self._manner == "hang-up":
                        client.shutdown(socket.SHUT_RDWR)
                        return
                    continue
                for real, ours in self._addresses:
                    frame = frame.replace(real, ours)
                _send(client, frame)

    def _loses(self, api_key: int) -> bool:
        name = NAMES.get(api_key)
        with self._lock:
            if name is None or self.lost[name]:
                return False
            self.lost[name] += 1
            return True


def _start(target: object, *arguments: object) -> None:
    threading.Thread(target=target, args=arguments, daemon=True).start()


def _port(listener: socket.socket) -> int:
    return int(listener.getsockname()[1])


def _address(host: str, port: int) -> bytes:
    return host.encode() + struct.pack(">i", port)


def _frame(source: socket.socket) -> bytes:
    """One message without its length; empty when the other side has ended the connection."""
    (size,) = struct.unpack(">i", _exactly(source, 4) or b"\0\0\0\0")
    return _exactly(source, size)


def _exactly(source: socket.socket, size: int) -> bytes:
    parts = b""
    while len(parts) < size:
        part = source.recv(size - len(parts))
        if not part:
            return b""
        parts += part
    return parts


def _send(target: socket.socket, frame: bytes) -> None:
    target.sendall(struct.pack(">i", len(frame)) + frame)
