"""Something that listens at an address, and is not a Kafka that answers."""

from __future__ import annotations

import socket
import threading
from contextlib import ExitStack, closing, contextmanager


@contextmanager
def server(answer):
    """`answer` is called with each connection. None keeps it open and says nothing."""
    kept = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve():
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                kept.append(connection)
                if answer is not None:
                    connection.recv(1024)
                    answer(connection)

        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
    for connection in kept:
        connection.close()


@contextmanager
def swallowing(address=None):
    """An address that drops every packet which opens a connection, as a firewall does: its queue is full.

    `address` is one where somebody listens and accepts nothing, such as a process that was paused.
    """
    with ExitStack() as kept:
        if address is None:
            listening = kept.enter_context(closing(socket.socket()))
            listening.bind(("127.0.0.1", 0))
            listening.listen(0)
            address = f"127.0.0.1:{listening.getsockname()[1]}"
        host, _, port = address.rpartition(":")
        while True:
            client = kept.enter_context(closing(socket.socket()))
            client.settimeout(0.3)
            try:
                client.connect((host, int(port)))
            except TimeoutError:
                break
        yield address
