"""The parts of a declared and of a live group that do not depend on its type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafka_topology.cluster.live.groups import Partition, Position
    from kafka_topology.topology.model.declared import Deletion

    from .inputs import Reset


class AnyDeclared(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def start(self) -> Position | None: ...

    @property
    def reset(self) -> Reset | None: ...

    @property
    def config(self) -> Mapping[str, str]: ...

    @property
    def max_lag(self) -> int | None: ...

    @property
    def deletion(self) -> Deletion: ...


class AnyShape(Protocol):
    @property
    def state(self) -> str: ...

    @property
    def members(self) -> int: ...


class AnyLive(Protocol):
    @property
    def shape(self) -> AnyShape: ...

    @property
    def partitions(self) -> frozenset[Partition]: ...

    @property
    def config(self) -> Mapping[str, str]: ...

    @property
    def is_there(self) -> bool: ...

    @property
    def exists(self) -> bool: ...

    @property
    def lag(self) -> int | None: ...
