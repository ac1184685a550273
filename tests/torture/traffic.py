"""Writers and readers that run through every fault: `python -m torture.traffic FOLDER SERVERS`.

Writes numbers to a declared topic and to one of others, with acks=all and idempotence, and notes what is acknowledged.
Reads the declared one as a group that commits what it has read, and notes every record that the group was not given.
"""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from typing import TextIO

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer

WRITTEN = {"t.orders": 3, "other.kept": 1}
GROUP = "t.readers"
PERIOD = 0.1  # one record to each partition
_QUIET = {"log_level": 0, "socket.timeout.ms": 10_000}


class Traffic:
    def __init__(self, folder: Path, servers: str) -> None:
        self._acknowledged: TextIO = (folder / "acknowledged").open("a")
        self._troubles: TextIO = (folder / "troubles").open("a")
        self._servers = servers
        self._number = 0
        self._next: dict[int, int] = {}  # the offset that the group should see next
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
        reader.subscribe([next(iter(WRITTEN))])
        due = time.monotonic()
        while self._goes_on:
            if time.monotonic() >= due:
                due = time.monotonic() + PERIOD
                try:
                    self._write(producer)
                except KafkaException as error:
                    self._note(f"writer: {error}")
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
        if error is not None:
            self._note(f"not delivered: {error}", loss=False)
            return
        value = message.value().decode()
        self._acknowledged.write(f"{message.topic()} {message.partition()} {message.offset()} {value}\n")
        self._acknowledged.flush()

    def _read(self, reader: Consumer) -> None:
        message = reader.poll(0.02)
        if message is None or message.error():
            return
        partition, offset = message.partition(), message.offset()
        wanted = self._next.get(partition, 0)
        if offset > wanted:
            self._note(f"the group was given offset {offset} of partition {partition} after {wanted - 1}", loss=True)
        self._next[partition] = max(wanted, offset + 1)
        if offset % 5 == 0:
            reader.commit(message, asynchronous=True)

    def _note(self, text: str, *, loss: bool = False) -> None:
        self._troubles.write(f"{'LOSS' if loss else 'note'} {text}\n")
        self._troubles.flush()


if __name__ == "__main__":
    traffic = Traffic(Path(sys.argv[1]), sys.argv[2])
    signal.signal(signal.SIGTERM, traffic.stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    traffic.run()
