"""A broker's disk has no room. Where nobody may mount a small disk, its files may not grow."""

from __future__ import annotations

import os
import resource
from contextlib import suppress

from ..cluster import BROKERS
from ..parts import Fault

BALLAST = "ballast"
_STEPS = (1 << 20, 1 << 12, 1)


class DiskFull(Fault):
    longest = 8.0

    def begin(self, bench, running):
        bench.notes["full"] = broker = bench.chance.choice(BROKERS)
        storage = bench.cluster.storage(broker)
        if not storage.is_mount():
            pid = bench.cluster.pid(broker)
            _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, most))
            return f"broker {broker}, by a limit for files"
        with (storage / BALLAST).open("wb", buffering=0) as file:
            for size in _STEPS:
                with suppress(OSError):
                    while True:
                        os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), size)
        return f"broker {broker}, disk of {bench.cluster.data.name}"

    def end(self, bench):
        """Most brokers have halted. One that has not may have missed a write, and starts again too."""
        broker = bench.notes["full"]
        (bench.cluster.storage(broker) / BALLAST).unlink(missing_ok=True)
        bench.cluster.kill(broker)
