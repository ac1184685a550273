"""Groups of the streams protocol (KIP-1071) as a cluster has them."""

from __future__ import annotations

from dataclasses import dataclass

from .groups import NOT_THERE


@dataclass(frozen=True, slots=True)
class StreamsShape:
    """`Dead` is Kafka's word for a group that does not exist. `idle` are members without a task, once the group
    has settled.

    `topics` are those that the application uses, internal ones too. They are not complete while it is not ready,
    because a topic is missing: Kafka 4.1 then names none, and Kafka 4.2 leaves out what patterns match.
    """

    state: str = NOT_THERE
    members: int = 0
    idle: int = 0
    topics: tuple[str, ...] = ()
    is_complete: bool = True
