"""Disks of brokers as they describe them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LogDir:
    """One folder of `log.dirs`. An offline one says nothing more about itself.

    `total` and `usable` are the bytes of its volume; None before Kafka 3.3. `used` are the bytes of its logs, if
    somebody asked for them.
    """

    path: str
    is_offline: bool = False
    total: int | None = None
    usable: int | None = None
    used: int | None = None


@dataclass(frozen=True, slots=True)
class Disk:
    """The log directories of one broker."""

    folders: tuple[LogDir, ...]

    @property
    def offline(self) -> tuple[str, ...]:
        return tuple(sorted(folder.path for folder in self.folders if folder.is_offline))

    @property
    def total(self) -> int | None:
        """The most that its volumes can hold, or None. Folders that share a volume count several times."""
        return _sum([folder.total for folder in self.folders])

    @property
    def used(self) -> int | None:
        return _sum([folder.used for folder in self.folders])


def _sum(numbers: list[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None
