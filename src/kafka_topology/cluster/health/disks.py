"""Reads the log directories of brokers: which are offline, and how full their volumes are (KIP-827)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kafka.protocol.admin import DescribeLogDirsRequest

from ..live.disks import Disk, LogDir
from ..outcomes import Failure, FailureKind, Outcome
from ..privileges import not_allowed

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..connecting.second_client import SecondClient

_STORAGE_ERROR: Final = 56  # Kafka's KAFKA_STORAGE_ERROR: the folder is offline


def read_disks(second: SecondClient, brokers: Collection[int], *, with_sizes: bool) -> dict[int, Outcome[Disk]]:
    """One request for each broker. The sizes of all logs make its answer long."""
    return {broker: _disk(second, broker, with_sizes=with_sizes) for broker in brokers}


def _disk(second: SecondClient, broker: int, *, with_sizes: bool) -> Outcome[Disk]:
    what = f"reading the log directories of broker {broker}"
    answer = second.send(what, DescribeLogDirsRequest(topics=None if with_sizes else []), broker)
    if isinstance(answer, Failure):
        return answer
    failure = second.failed(what, getattr(answer, "error_code", 0) or 0, None)
    if failure is not None:
        return failure
    folders = []
    for each in answer.results:
        if each.error_code not in {0, _STORAGE_ERROR}:
            return second.failed(what, each.error_code, None) or Failure(FailureKind.REJECTED, what)
        folders.append(_folder(each, with_sizes=with_sizes))
    if not folders:  # brokers before Kafka 3.0 answer so if the request is denied
        return not_allowed(what)
    return Disk(tuple(folders))


def _folder(answer: Any, *, with_sizes: bool) -> LogDir:
    if answer.error_code == _STORAGE_ERROR:
        return LogDir(answer.log_dir, is_offline=True)
    return LogDir(
        answer.log_dir,
        total=_bytes(getattr(answer, "total_bytes", None)),
        usable=_bytes(getattr(answer, "usable_bytes", None)),
        used=sum(p.partition_size for topic in answer.topics for p in topic.partitions) if with_sizes else None,
    )


def _bytes(number: int | None) -> int | None:
    """Kafka says -1 for what it does not know."""
    return number if number is not None and number >= 0 else None
