"""Finds the broker that coordinates each group, by kafka-python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafka.protocol.metadata import FindCoordinatorRequest

from ..outcomes import Failure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..connecting.second_client import SecondClient
    from ..outcomes import Outcome

AT_ONCE: Final = 200
_GROUP: Final = 0
# From this version on, a request takes many groups.
_FIND_MANY: Final = 4


def by_coordinator(
    second: SecondClient, names: list[str], doing: str
) -> tuple[dict[int, list[str]], dict[str, Failure]]:
    """The groups of each broker, and those whose coordinator is unknown. `doing` begins the message of a failure."""
    nodes: dict[int, list[str]] = {}
    failed: dict[str, Failure] = {}
    for name, coordinator in coordinators(second, names, doing).items():
        if isinstance(coordinator, Failure):
            failed[name] = coordinator
        else:
            nodes.setdefault(coordinator, []).append(name)
    return nodes, failed


def coordinators(second: SecondClient, names: list[str], doing: str) -> dict[str, Outcome[int]]:
    found: dict[str, Outcome[int]] = {}
    is_new = second.speaks(FindCoordinatorRequest, _FIND_MANY)
    for part in parts(names, AT_ONCE if is_new else 1):
        what = f"{doing} '{part[0]}'"
        if is_new:
            request = FindCoordinatorRequest(key_type=_GROUP, coordinator_keys=part, min_version=_FIND_MANY)
        else:
            request = FindCoordinatorRequest(key=part[0], key_type=_GROUP, max_version=_FIND_MANY - 1)
        response = second.send(what, request)
        if isinstance(response, Failure):
            found |= dict.fromkeys(part, response)
            continue
        for answer in response.coordinators if is_new else (response,):
            name = answer.key if is_new else part[0]
            failed = second.failed(f"{doing} '{name}'", answer.error_code, answer.error_message)
            found[name] = answer.node_id if failed is None else failed
    return found


def parts(names: list[str], size: int) -> Iterable[list[str]]:
    return (names[at : at + size] for at in range(0, len(names), size))
