"""What the principal that deploys needs for each change, and no more: what the provider's requests ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from ..audit.observing.group_log import GROUPS
from ..audit.subjects.share_groups import SHARE_GROUPS
from ..cluster.live.groups import LiveGroup
from ..cluster.outcomes import Failure
from ..provider.resources.any_group.plan import plan_config
from ..provider.resources.group.inputs import parse as parse_group
from ..provider.resources.group.plan import is_new
from ..provider.resources.input_checks import plain
from ..provider.resources.share_group.inputs import parse as parse_share_group
from ..provider.resources.share_group.plan import is_startable

if TYPE_CHECKING:
    from ..cluster.live.share_groups import LiveShareGroup
    from ..cluster.outcomes import Outcome
    from ..provider.resources.group.inputs import DeclaredGroup
    from ..provider.resources.share_group.inputs import DeclaredShareGroup
    from .facts import Facts
    from .requests import Request

Operations: TypeAlias = frozenset[str]
_LOOK: Final = frozenset({"Describe", "DescribeConfigs"})
_ANY_CHANGE: Final = frozenset({"Alter", "AlterConfigs"})
_GROUPS: Final = ("ConsumerGroup", "ShareGroup")


@dataclass(frozen=True, slots=True)
class Needed:
    """Operations on the topic or group of the request, and on topics that it reads."""

    own: Operations = frozenset()
    topics: Mapping[str, Operations] = field(default_factory=dict)


def needed_for(facts: Facts, request: Request) -> Needed:
    """Creating a topic is validated by the brokers themselves, so Create is not asked for here."""
    if request.kind == "Topic":
        return Needed(_of_topic(facts, request))
    if request.kind in _GROUPS:
        return _of_group(facts, request)
    return Needed()


def _of_topic(facts: Facts, request: Request) -> Operations:
    match request.action:
        case "delete":
            # By force, nobody looks for writers.
            is_forced = plain(request.inputs, "deletion") == "force"
            return _LOOK | {"Delete"} | (frozenset() if is_forced else {"Read"})
        case "create":
            return _LOOK if facts.live_topic(request.name) is not None else frozenset({"DescribeConfigs"})
        case "update":
            alter = {"Alter"} if "partitions" in request.changed else set()
            configs = {"AlterConfigs"} if _has_config(request) else set()
            return _LOOK | alter | configs
        case _:
            return _LOOK | _ANY_CHANGE


def _of_group(facts: Facts, request: Request) -> Needed:
    if request.action == "delete":
        return Needed(_LOOK | {"Delete"})
    seen: Outcome[LiveGroup | LiveShareGroup] | None
    declared: DeclaredGroup | DeclaredShareGroup
    if request.kind == "ConsumerGroup":
        seen, declared = facts.snapshot.of(GROUPS).get(request.name), (group := parse_group(request.inputs))
        topics = tuple(group.reads)
    else:
        seen, declared = facts.snapshot.of(SHARE_GROUPS).get(request.name), (share := parse_share_group(request.inputs))
        topics = tuple(share.topics)
    live = None if isinstance(seen, Failure) else seen
    if request.action == "create":
        moves = declared.start is not None and (live is None or _is_startable(live))
        configs = bool(declared.config) and (live is None or bool(plan_config((), declared, live)))
    else:
        moves = any(path.startswith("reset") for path in request.changed) and declared.reset is not None
        configs = _has_config(request)
    own = _LOOK | ({"Read"} if moves else set()) | ({"AlterConfigs"} if configs else set())
    return Needed(own, dict.fromkeys(topics, frozenset({"Describe", "Read"} if moves else {"Describe"})))


def _is_startable(live: LiveGroup | LiveShareGroup) -> bool:
    """Whether a declared start is committed: nobody reads with the group, and not all of it is there already."""
    if isinstance(live, LiveGroup):
        left = bool(live.partitions - live.offsets.keys() or live.missing_topics)
        return not live.shape.members and is_new(live) and left
    return is_startable(live)


def _has_config(request: Request) -> bool:
    return any(path.startswith("config") for path in request.changed)
