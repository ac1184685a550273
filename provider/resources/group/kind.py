"""The kind `ConsumerGroup`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from kafka_topology.cluster.live.groups import LiveGroup

from ..any_group.inputs import GroupInputs
from ..any_group.kind import AnyGroupKind
from ..input_checks import plain
from . import plan as plans
from .apply import GroupApplier
from .drift import as_output, offset_warnings
from .inputs import GROUP_INPUTS, DeclaredGroup, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafka_topology.provider.plugin.properties import Properties, Value

    from ..admin import Admin
    from ..base import Old


class GroupKind(AnyGroupKind[DeclaredGroup, LiveGroup]):
    word = "group"
    inputs: ClassVar[GroupInputs] = GROUP_INPUTS
    offsets = "committed offsets"
    vanishing = "somebody deleted the group, or nobody used it for offsets.retention.minutes"
    starting = "commits"

    def parse(self, inputs: Properties) -> DeclaredGroup:
        return parse(inputs)

    def applier(self, admin: Admin) -> GroupApplier:
        return GroupApplier(admin.groups, self._session.pause, patience=self._session.settings.operation_timeout)

    def of_topics(self, name: str, topics: Sequence[str]) -> DeclaredGroup:
        return DeclaredGroup(name, dict.fromkeys(topics))

    def topics_of(self, declared: DeclaredGroup) -> Sequence[str]:
        return tuple(declared.reads)

    def as_output(self, live: LiveGroup) -> dict[str, Value]:
        return as_output(live)

    def why_not_adopt(self, declared: DeclaredGroup, live: LiveGroup) -> str | None:
        lines = plans.config_differences(declared, live)
        return plans.why_not_adopt(declared, lines) if lines else None

    def adoption_warnings(self, declared: DeclaredGroup, live: LiveGroup) -> tuple[str, ...]:
        return plans.adoption_warnings(declared, live)

    def why_not_reset(self, declared: DeclaredGroup, live: LiveGroup) -> str | None:
        return plans.why_not_reset(declared, live)

    def reset_warning(self, declared: DeclaredGroup, live: LiveGroup) -> str:
        return plans.reset_warning(declared, live)

    async def offset_warnings(self, old: Old, live: LiveGroup) -> tuple[str, ...]:
        applier = GroupApplier((await self._session.admin()).groups, self._session.pause)
        starts = await asyncio.to_thread(applier.starts_of, live) if live.offsets else {}
        return offset_warnings(plain(old.properties, "offsets"), live, starts)
