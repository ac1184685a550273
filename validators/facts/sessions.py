"""Readers whose session timeout does not go together with another of their settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kafka_topology.topology.kafka.effective import Setting
from kafka_topology.topology.model.places import Place

from ..engine.helpers import place_of
from .client_roles import Reader
from .clients import Clients

SESSION = "session.timeout.ms"


@dataclass(frozen=True, slots=True)
class Clash:
    """A session timeout and another setting that do not go together, with their numbers."""

    reader: Reader
    session: Setting
    other: Setting
    session_ms: int
    other_ms: int

    @property
    def at(self) -> Setting:
        """The one to change: the other setting, unless only the session timeout is declared."""
        return self.other if self.other.is_declared or not self.session.is_declared else self.session

    @property
    def place(self) -> Place:
        return place_of(self.at, self.reader.declared)


def clashes(
    clients: Clients,
    number: Callable[[Reader], int | None],
    setting: Callable[[Reader], Setting | None],
    fit: Callable[[int, int], bool],
) -> Iterator[Clash]:
    """Readers whose session timeout and other number do not fit. `number` is the fast way to that of `setting`."""
    for reader in clients.readers:
        session_ms, other_ms = reader.session_number(SESSION), number(reader)
        if reader.is_standalone or session_ms is None or other_ms is None or fit(session_ms, other_ms):
            continue
        session, other = reader.session_setting(SESSION), setting(reader)
        if session is not None and other is not None:
            yield Clash(reader, session, other, session_ms, other_ms)
