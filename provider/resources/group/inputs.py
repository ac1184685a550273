"""The inputs of `ConsumerGroup`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, cast

from kafka_topology.provider.plugin.properties import UNKNOWN, reveal

from ..any_group.inputs import GroupInputs, Reset, parse_reset, position
from ..changes import CheckFailure
from ..input_checks import plain, wrong_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kafka_topology.cluster.live.groups import Position
    from kafka_topology.provider.plugin.properties import Properties
    from kafka_topology.topology.model.declared import Deletion

INPUTS: Final = ("name", "topics", "assign", "start", "reset", "config", "maxLag", "deletion")
OUTPUTS: Final = (*INPUTS, "state", "members", "lag", "offsets", "undeclared")


@dataclass(frozen=True, slots=True)
class DeclaredGroup:
    """`reads` has the partitions of each topic; None means all partitions."""

    name: str
    reads: Mapping[str, tuple[int, ...] | None] = field(default_factory=dict)
    start: Position | None = None
    reset: Reset | None = None
    config: Mapping[str, str] = field(default_factory=dict)
    max_lag: int | None = None
    deletion: Deletion = "protected"


def parse(inputs: Properties) -> DeclaredGroup:
    """Parses inputs that `check` has accepted and that have no unknown values."""
    values = cast("dict[str, object]", reveal(dict(inputs)))
    topics = cast("list[str]", values.get("topics") or [])
    assign = cast("dict[str, list[int]]", values.get("assign") or {})
    start = values.get("start")
    return DeclaredGroup(
        name=str(values["name"]),
        reads=dict.fromkeys(topics) | {topic: tuple(partitions) for topic, partitions in assign.items()},
        start=position(str(start)) if start is not None else None,
        reset=parse_reset(inputs),
        config=cast("dict[str, str]", values.get("config") or {}),
        max_lag=cast("int | None", values.get("maxLag")),
        deletion=cast("Deletion", values.get("deletion") or "protected"),
    )


def _wrong_assign(inputs: Properties) -> Iterator[CheckFailure]:
    assign = plain(inputs, "assign")
    yield from wrong_type("assign", assign, dict, f"{assign!r} is not a map of topics to lists of partitions.")
    for topic, partitions in assign.items() if isinstance(assign, dict) else ():
        listed = isinstance(partitions, list) and all(isinstance(p, int) and p >= 0 for p in partitions)
        if partitions is not UNKNOWN and not listed:
            yield CheckFailure(f'assign["{topic}"]', f"{partitions!r} is not a list of partitions.")


GROUP_INPUTS: Final = GroupInputs("group", INPUTS, _wrong_assign, compared=("assign",))
