"""The executable `pulumi-resource-kafka-topology`, which the Pulumi engine starts."""

from __future__ import annotations

import asyncio
import os
import sys

from kafka_topology.provider.server import serve


def main() -> None:
    asyncio.run(serve(sys.argv[1:], os.environ))
