"""The kind `ShareGroup`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kafka_topology.cluster.live.share_groups import LiveShareGroup

from ..any_group.inputs import GroupInputs
from ..any_group.kind import AnyGroupKind
from ..input_checks import plain
from . import plan as plans
from .apply import ShareGroupApplier
from .inputs import SHARE_GROUP_INPUTS, DeclaredShareGroup, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafka_topology.provider.plugin.properties import Properties, Value

    from ..admin import Admin
    from ..base import Old


class ShareGroupKind(AnyGroupKind[DeclaredShareGroup, LiveShareGroup]):
    word = "share group"
    inputs: ClassVar[GroupInputs] = SHARE_GROUP_INPUTS
    offsets = "start offsets"
    vanishing = "somebody deleted the group"
    starting = "sets"

    def parse(self, inputs: Properties) -> DeclaredShareGroup:
        return parse(inputs)

    def applier(self, admin: Admin) -> ShareGroupApplier:
        patience = self._session.settings.operation_timeout
        return ShareGroupApplier(admin.share_groups, self._session.pause, patience=patience)

    def of_topics(self, name: str, topics: Sequence[str]) -> DeclaredShareGroup:
        return DeclaredShareGroup(name, tuple(topics))

    def topics_of(self, declared: DeclaredShareGroup) -> Sequence[str]:
        return declared.topics

    def as_output(self, live: LiveShareGroup) -> dict[str, Value]:
        return as_output(live)

    def why_not_adopt(self, declared: DeclaredShareGroup, live: LiveShareGroup) -> str | None:
        return plans.why_not_adopt(declared, live)

    def adoption_warnings(self, declared: DeclaredShareGroup, live: LiveShareGroup) -> tuple[str, ...]:
        return plans.adoption_warnings(declared, live)

    def why_other(self, declared: DeclaredShareGroup, live: LiveShareGroup) -> str | None:
        return plans.why_other_type(declared, live)

    def why_not_reset(self, declared: DeclaredShareGroup, live: LiveShareGroup) -> str | None:
        return plans.why_not_reset(declared, live)

    def reset_warning(self, declared: DeclaredShareGroup, live: LiveShareGroup) -> str:
        return plans.reset_warning(declared, live)

    async def offset_warnings(self, old: Old, live: LiveShareGroup) -> tuple[str, ...]:
        """Start offsets that went back or disappeared since the last run. Those that moved forward are normal."""
        known = plain(old.properties, "offsets")
        now = as_output(live)
        before = {at: was for at, was in known.items() if isinstance(was, int)} if isinstance(known, dict) else {}
        odd = [
            f"{at} from {was} to {now.get(at, 'none')}" for at, was in sorted(before.items()) if _is_less(now, at, was)
        ]
        if not odd:
            return ()
        warning = (
            f"share group '{live.name}': start offsets went back since the last look ({'; '.join(odd[:5])}"
            f"{f'; and {len(odd) - 5} more' if len(odd) > 5 else ''}). The records between are delivered again. Find "
            "out who moved them."
        )
        return (warning,)


def as_output(live: LiveShareGroup) -> dict[str, Value]:
    """The start offsets by `topic-partition`, as the state keeps them."""
    return {f"{topic}-{number}": offset.start for (topic, number), offset in sorted(live.offsets.items())}


def _is_less(now: dict[str, Value], at: str, was: int) -> bool:
    is_at = now.get(at)
    return not isinstance(is_at, int) or is_at < was
