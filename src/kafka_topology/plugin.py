"""The executable `pulumi-resource-kafka-topology`, which the Pulumi engine starts."""

from __future__ import annotations

import asyncio
import faulthandler
import os
import sys

# Read before the slow imports: the parent may die while they load.
_PARENT = os.getppid()

from kafka_topology.extras import MissingExtra, require  # noqa: E402

COULD_NOT_START = 3


def main() -> None:
    """Prints its port and serves until the engine ends. A missing extra is one sentence on stderr, shown by Pulumi."""
    faulthandler.enable()  # so that a crash of a client library shows where
    try:
        require("pulumi", "pulumi-resource-kafka-topology")
    except MissingExtra as missing:
        sys.stderr.write(f"{missing}\n")
        sys.exit(COULD_NOT_START)
    from kafka_topology.program.declaring import declare  # noqa: PLC0415 - they need the extra
    from kafka_topology.program.judge import ProgramJudge  # noqa: PLC0415
    from kafka_topology.provider.plugin.server import serve  # noqa: PLC0415

    asyncio.run(serve(sys.argv[1:], os.environ, _PARENT, ProgramJudge(), declare))
