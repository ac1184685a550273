"""Writers and readers that run through every fault: `python -m torture.traffic FOLDER SERVERS`.

Writes numbers to a declared topic and to one of others, with acks=all and idempotence. Reads the declared one as a
group that commits what it has read. Notes what is acknowledged and what the group is given, and judges nothing.
"""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from typing import TextIO

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer

READ = "t.orders"
WRITTEN = {READ: 3, "other.kept": 1}
UNKNOWN = -1  # offset of an acknowledged record
GROUP = "t.readers"
PERIOD = 0.1  # one record to each partition
_QUIET = {"log_level": 0, "socket.timeout.ms": 10_000}


class Traffic:
    def __init__(self, folder: Path, servers: str) -> None:
        self._acknowledged: TextIO = (folder / "acknowledged").open("a")
        self._given: TextIO = (folder / "given").open("a")
        self._servers = servers
        self._number = 0
        self._goes_on = True

    def stop(self, *_: object) -> None:
        self._goes_on = False

    def run(self) -> None:
        producer = self._producer()
        reader = Consumer(
            {
                **_QUIET,
                "bootstrap.servers": self._servers,
                "group.id": GROUP,
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "session.timeout.ms": 10_000,
            }
        )
        reader.subscribe([READ])
        due = time.monotonic()
        while self._goes_on:
            if time.monotonic() >= due:
                due = time.monotonic() + PERIOD
                try:
                    self._write(producer)
                except KafkaException:  # an idempotent producer may give up for good
                    producer = self._producer()
            producer.poll(0)
            self._read(reader)
        producer.flush(30)
        reader.close()

    def _producer(self) -> Producer:
        return Producer(
            {
                **_QUIET,
                "bootstrap.servers": self._servers,
                "acks": "all",
                "enable.idempotence": True,
                "delivery.timeout.ms": 600_000,
                "linger.ms": 5,
            }
        )

    def _write(self, producer: Producer) -> None:
        if len(producer) > 5_000:  # while brokers are away
            return
        self._number += 1
        for topic, partitions in WRITTEN.items():
            for partition in range(partitions):
                producer.produce(topic, str(self._number), partition=partition, on_delivery=self._delivered)

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is None:
            # A broker that has the record already answers without its offset.
            offset = UNKNOWN if message.offset() is None else message.offset()
            _note(self._acknowledged, message.topic(), message.partition(), offset, message.value().decode())

    def _read(self, reader: Consumer) -> None:
        message = reader.poll(0.02)
        if message is None or message.error():
            return
        _note(self._given, message.topic(), message.partition(), message.offset(), message.value().decode())
        if message.offset() % 5 == 0:
            reader.commit(message, asynchronous=True)


def _note(file: TextIO, *words: object) -> None:
    print(*words, file=file, flush=True)


if __name__ == "__main__":
    traffic = Traffic(Path(sys.argv[1]), sys.argv[2])
    signal.signal(signal.SIGTERM, traffic.stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    traffic.run()
