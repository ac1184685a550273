"""Writes the keys with aiokafka: one line each, hexadecimal digits, or "-" for null."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from aiokafka import AIOKafkaProducer


async def write(bootstrap: str, topic: str, partitioner: str, keys: str) -> None:
    if partitioner != "default":
        raise ValueError(f"no partitioner {partitioner}")
    async with AIOKafkaProducer(bootstrap_servers=bootstrap, acks="all", linger_ms=20) as producer:
        sent = []
        for number, line in enumerate(Path(keys).read_text().splitlines()):
            key = None if line == "-" else bytes.fromhex(line)
            sent.append(await producer.send(topic, str(number).encode(), key))
        await asyncio.gather(*sent)


if __name__ == "__main__":
    asyncio.run(write(*sys.argv[1:]))
