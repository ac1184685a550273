"""The executable `pulumi-resource-kafka-topology`, which the Pulumi engine starts."""

from __future__ import annotations

import asyncio
import os
import sys

# Taken before the slow imports: whoever dies while they load must still be missed.
_PARENT = os.getppid()

from kafka_topology.provider.server import serve  # noqa: E402


def main() -> None:
    asyncio.run(serve(sys.argv[1:], os.environ, _PARENT))
