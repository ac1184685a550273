"""A cluster that nobody has used: `kafka-topology local start` makes the topic of the offsets, and this does not."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from unittest.mock import patch

from kafka_topology.local import LocalCluster, readiness


@contextmanager
def unused_cluster(data, brokers=1):
    with ExitStack() as stack:
        with patch.object(readiness, "_has_coordinator", lambda _: True):
            cluster = stack.enter_context(LocalCluster(data, brokers=brokers, delete_on_exit=True))
        yield cluster
