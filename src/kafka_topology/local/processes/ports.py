"""Ports on the loopback interface."""

from __future__ import annotations

import random
import socket
from typing import TYPE_CHECKING

from ..errors import LocalClusterError
from ..properties import HOST

if TYPE_CHECKING:
    from collections.abc import Collection

# Below the range from which systems take the ports of outgoing connections: a port that was free
# at the first start is then likely to be free at the next one.
_RANGE = range(20000, 32000)


def is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as Kafka does
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def accepts(port: int, timeout: float = 0.5) -> bool:
    """Whether somebody listens there."""
    try:
        with socket.create_connection((HOST, port), timeout=timeout):
            return True
    except OSError:
        return False


def free_ports(count: int, avoid: Collection[int] = ()) -> list[int]:
    """So many free ports. Another process may be quicker to use one: be ready for it."""
    found: list[int] = []
    for port in random.sample(_RANGE, len(_RANGE)):
        if len(found) == count:
            break
        if port not in avoid and is_free(port):
            found.append(port)
    if len(found) < count:
        raise LocalClusterError(f"No {count} free ports between {_RANGE.start} and {_RANGE.stop}.")
    return found
