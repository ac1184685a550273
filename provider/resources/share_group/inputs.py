"""The inputs of `ShareGroup`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, cast

from kafka_topology.provider.plugin.properties import reveal

from ..any_group.inputs import GroupInputs, Reset, parse_reset, position
from ..changes import CheckFailure
from ..input_checks import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kafka_topology.cluster.live.groups import Position
    from kafka_topology.provider.plugin.properties import Properties
    from kafka_topology.topology.model.declared import Deletion

INPUTS: Final = ("name", "topics", "start", "reset", "config", "maxLag", "deletion")
OUTPUTS: Final = (*INPUTS, "state", "members", "lag", "offsets", "undeclared")
_PREFIX: Final = "share."


@dataclass(frozen=True, slots=True)
class DeclaredShareGroup:
    name: str
    topics: tuple[str, ...] = ()
    start: Position | None = None
    reset: Reset | None = None
    config: Mapping[str, str] = field(default_factory=dict)
    max_lag: int | None = None
    deletion: Deletion = "protected"


def parse(inputs: Properties) -> DeclaredShareGroup:
    """Parses inputs that `check` has accepted and that have no unknown values."""
    values = cast("dict[str, object]", reveal(dict(inputs)))
    start = values.get("start")
    return DeclaredShareGroup(
        name=str(values["name"]),
        topics=tuple(cast("list[str]", values.get("topics") or [])),
        start=position(str(start)) if start is not None else None,
        reset=parse_reset(inputs),
        config=cast("dict[str, str]", values.get("config") or {}),
        max_lag=cast("int | None", values.get("maxLag")),
        deletion=cast("Deletion", values.get("deletion") or "protected"),
    )


def _other_settings(inputs: Properties) -> Iterator[CheckFailure]:
    """Kafka accepts every group setting for every group, and share groups use only their own."""
    config = plain(inputs, "config")
    for key in config if isinstance(config, dict) else ():
        if not key.startswith(_PREFIX):
            yield CheckFailure(
                f'config["{key}"]', f"share groups do not use '{key}': expected settings that begin with 'share.'."
            )


SHARE_GROUP_INPUTS: Final = GroupInputs("share group", INPUTS, _other_settings, compared=())
